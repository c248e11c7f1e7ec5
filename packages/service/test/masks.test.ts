import { gunzipSync } from "node:zlib";
import type { DatasetGrant } from "@cadastre/entitlement";
import { sampleCatalog } from "@cadastre/sample/catalog";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fieldDisclosures } from "../src/cli/entitlement/sign.ts";
import { demoCustomers } from "../src/demo/customers.ts";
import { ask, query, toCollection, walk } from "./support/ask.ts";
import { customerOf } from "./support/deliveries.ts";
import { type Running, run } from "./support/running.ts";

/*
 * Everything that a customer with masks can read of a listing is searched for the values that the masks hide in that listing.
 */

let running: Running;
beforeAll(async () => {
  running = await run({ CADASTRE_LISTINGS: "600" });
});
afterAll(() => running.stop());

type Json = Readonly<Record<string, unknown>>;

const textOf = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value) ?? "");

const isMasked = ({ resources }: DatasetGrant) => resources["Property"]?.masks !== undefined;
const maskedCustomers = demoCustomers.filter(({ grants }) => grants.datasets.some(isMasked));

/** The masked fields whose values are searched for. Of remarks, which are masked too, many are alike. */
const searched = [
  "StreetNumber",
  "StreetNumberNumeric",
  "UnitNumber",
  "UnparsedAddress",
  "PostalCode",
  "PostalCodePlus4",
  "ParcelNumber",
  "UniversalPropertyId",
  "Latitude",
  "Longitude",
];

/** Shortest value that is searched for: shorter ones are everywhere. */
const shortest = 3;

/** The values that the masks of Property hide, by the key of the listing, and by field. */
async function hiddenValues(): Promise<ReadonlyMap<string, Json>> {
  const $select = ["ListingKey", ...searched].join();
  const pages = await walk(running.service.baseUrl, `/reso/odata/Property${query({ $select, $top: 1000 })}`, {
    "x-api-key": running.key("national"),
  });
  const isLong = ([, value]: readonly [string, unknown]) =>
    value !== null && textOf(value).length >= shortest;
  return new Map(
    pages
      .flatMap(({ value }) => value)
      .map(({ ListingKey, ...hidden }) => [
        String(ListingKey),
        Object.fromEntries(Object.entries(hidden).filter(isLong)),
      ]),
  );
}

/** Every record that the customer reads through OData. */
async function odataRecords(customer: string): Promise<readonly Json[]> {
  const records: Json[] = [];
  const { baseUrl } = running.service;
  const headers = { "x-api-key": running.key(customer) };
  const sets = toCollection(await ask(baseUrl, "/reso/odata", headers)).value.map((set) =>
    String(set["name"]),
  );
  for (const set of sets) {
    const pages = await walk(baseUrl, `/reso/odata/${set}${query({ $top: 1000 })}`, headers);
    for (const record of pages.flatMap(({ value }) => value)) records.push({ set, ...record });
  }
  return records;
}

/** Every row that is delivered to the customer as JSON lines. */
async function deliveredRecords(customer: string, domain: string): Promise<readonly Json[]> {
  const asks = customerOf(running, customer);
  const id = await asks.complete({ domain, profileId: `${domain}-jsonl` });
  const { data } = await asks.manifest(id);
  const rows: Json[] = [];
  for (const { number, dataset } of data.parts) {
    const text = gunzipSync(await asks.fetched(id, number)).toString();
    for (const line of text.split("\n").filter((one) => one !== ""))
      rows.push({ set: dataset, ...(JSON.parse(line) as Json) });
  }
  return rows;
}

/** The listing that a record is about: its own key, or that of its listing, of which the key of a Media record is made. */
const listingOf = ({ ListingKey, ResourceRecordKey, MediaKey, listing_key }: Json): string =>
  textOf(ListingKey ?? ResourceRecordKey ?? listing_key ?? textOf(MediaKey).replace(/-\d+$/, ""));

const holds = (text: string, value: string): boolean => {
  const at = text.toLowerCase().indexOf(value.toLowerCase());
  const isEdge = (character: string | undefined) => character === undefined || !/[\p{L}\d]/u.test(character);
  return at >= 0 && isEdge(text[at - 1]) && isEdge(text[at + value.length]);
};

/**
 * Fields of the records that hold hidden values, as `set.field tells masked`. A price may happen to be a ZIP code: a field counts if one
 * in ten of its values holds the hidden one.
 */
function leaks(records: readonly Json[], hidden: ReadonlyMap<string, Json>): readonly string[] {
  const tried = new Map<string, number>();
  const found = new Map<string, number>();
  const count = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);
  for (const { set, ...record } of records) {
    const values = Object.entries(hidden.get(listingOf(record)) ?? {});
    for (const [field, value] of Object.entries(record)) {
      if (value === null) continue;
      const text = textOf(value);
      for (const [masked, secret] of values) {
        const name = `${String(set)}.${field} tells ${masked}`;
        count(tried, name);
        if (holds(text, String(secret))) count(found, name);
      }
    }
  }
  return [...found]
    .flatMap(([name, times]) => (times >= (tried.get(name) ?? 0) / 10 ? [name] : []))
    .toSorted();
}

describe.each(maskedCustomers)("$name", ({ name, grants }) => {
  test("has masks of what is searched for", () => {
    for (const { resources } of grants.datasets)
      expect(Object.keys(resources["Property"]?.masks ?? {})).toEqual(expect.arrayContaining(searched));
  });

  test("reads no value of a masked field, whichever field it is in", async () => {
    const hidden = await hiddenValues();
    const records = [
      ...(await odataRecords(name)),
      ...(await deliveredRecords(name, "listing")),
      ...(await deliveredRecords(name, "property")),
    ];
    const listings = records.filter((record) => hidden.has(listingOf(record)));
    // Without a place that is shown whole no property can be told from another, so that there is none of them.
    const sets = ["Property", "Media", "listing", "listing_media", "media_assets"];
    expect([...new Set(listings.map(({ set }) => set))]).toEqual(sets);
    expect(leaks(records, hidden)).toEqual([]);
  }, 120_000);

  test("is found to read them where the masks are not there", async () => {
    const hidden = await hiddenValues();
    const found = leaks(await odataRecords("national"), hidden);
    expect(found).toEqual(
      expect.arrayContaining([
        "Media.LongDescription tells PostalCode",
        "Media.LongDescription tells StreetNumber",
        "Media.LongDescription tells UnparsedAddress",
        "Property.UniversalPropertyId tells ParcelNumber",
        "Property.MLSAreaMinor tells PostalCode",
        "Property.MapURL tells Latitude",
      ]),
    );
  }, 120_000);
});

test.each(demoCustomers)("$name is granted no field that may tell a masked one", ({ grants }) => {
  expect(fieldDisclosures({ datasets: grants.datasets }, sampleCatalog)).toEqual([]);
});

test("some demo customer has masks", () => {
  expect(maskedCustomers.map(({ name }) => name)).toEqual(["coarse"]);
});
