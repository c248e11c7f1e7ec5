import { expect, test } from "vitest";
import { type DistributionFault, distributionFaults } from "./support/distribution-faults.ts";

const tables = new Set(["Property", "Property_closed", "Media", "Media_closed"]);

const put = (
  isOfDataset: string,
) => `with "given" as materialized (select "c0"::text as "ListingKey" from unnest($1) as "row"("c0")),
  "changed" as materialized (
    select "given".* from "given" left join "Property" as "current" on "current"."ListingKey" = "given"."ListingKey" and ${isOfDataset}
  ), "written" as (
    insert into "Property" ("ListingKey", "DatasetId") select * from "changed"
    on conflict ("ListingKey", "DatasetId") do update set "City" = excluded."City"
  ) select count(*) from "changed"`;

test.each<[string, DistributionFault, string, string]>([
  [
    "a primary key",
    "key",
    `create table "Property" ("ListingKey" text not null, primary key ("ListingKey"))`,
    `create table "Property" ("ListingKey" text not null, primary key ("ListingKey", "DatasetId"))`,
  ],
  [
    "an added key",
    "key",
    `alter table "Property" add constraint "Property_pkey" primary key ("ListingKey")`,
    `alter table "Property" add constraint "Property_pkey" primary key ("ListingKey", "DatasetId")`,
  ],
  [
    "a unique index",
    "key",
    `create unique index "one" on "Property" ("ListingKey")`,
    `create unique index "one" on "Property" ("DatasetId", "ListingKey")`,
  ],
  [
    "a conflict",
    "conflict",
    `insert into "Property" ("ListingKey") values ($1) on conflict ("ListingKey") do nothing`,
    `insert into "Property" ("ListingKey") values ($1) on conflict ("ListingKey", "DatasetId") do nothing`,
  ],
  [
    "a join",
    "join",
    `select 1 from "Media" join "Property" on "Property"."ListingKey" = "Media"."ResourceRecordKey"`,
    `select 1 from "Media" join "Property" on "Property"."ListingKey" = "Media"."ResourceRecordKey" and "Property"."DatasetId" = "Media"."DatasetId"`,
  ],
  [
    "values of a followed record",
    "subquery",
    `update "Media" set "City" = (select "City" from "Property" where "Property"."ListingKey" = "Media"."ResourceRecordKey")`,
    `update "Media" set "City" = (select "City" from "Property" where "Property"."ListingKey" = "Media"."ResourceRecordKey" and "Property"."DatasetId" = "Media"."DatasetId")`,
  ],
  [
    "a list of keys",
    "subquery",
    `select 1 from "Media" where ("ResourceRecordKey") in (select "ListingKey" from "Property" where "cadastre_from" = $1)`,
    `select 1 from "Media" where "DatasetId" = $2 and ("ResourceRecordKey") in (select "ListingKey" from "Property" where "cadastre_from" = $1 and "DatasetId" = $2)`,
  ],
  [
    "a record that is looked for among others",
    "subquery",
    `select 1 from "Property_closed" where not exists (select 1 from "Property" where "Property"."ListingKey" = "Property_closed"."ListingKey")`,
    `select 1 from "Property_closed" where not exists (select 1 from "Property" where "Property"."ListingKey" = "Property_closed"."ListingKey" and "Property"."DatasetId" = "Property_closed"."DatasetId")`,
  ],
  [
    "a put",
    "write",
    put(`"current"."DatasetId" = "given"."DatasetId"`),
    put(`"current"."DatasetId" = $2::text`),
  ],
])("%s must be of a dataset", (_what, fault, refused, taken) => {
  expect([...distributionFaults(refused, tables)]).toEqual([fault]);
  expect([...distributionFaults(taken, tables)]).toEqual([]);
});

test.each([
  `select * from (select 1 from "Property" limit 1) as "a" union all select * from (select 1 from "Property_closed" limit 1) as "b"`,
  `select (select count(*) from "Property") + (select count(*) from "Property_closed")`,
  `insert into "Property_closed" ("ListingKey") select "ListingKey" from "Property" where "cadastre_from" > $1`,
  `with "given" as materialized (select "ListingKey" from "Property_closed") select 1 from "given" join "Property" on "Property"."ListingKey" = "given"."ListingKey"`,
  `insert into "Property_staged" ("ListingKey") values ($1) on conflict ("ListingKey", "cadastre_source") do nothing`,
  `select 1 from "Media" where ("ResourceRecordKey", "DatasetId") in (select "ListingKey", "DatasetId" from "Property" union all select "ListingKey", "DatasetId" from "Property_closed")`,
  `select 1 from "cadastre_build" join "cadastre_source" on true`,
])("%s is distributed", (statement) => {
  expect([...distributionFaults(statement, tables)]).toEqual([]);
});
