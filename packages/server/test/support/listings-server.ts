// A server of 600 listings in a table of its own, for clients of others: see packages/service/clients.
import { unrestricted } from "@cadastre/server";
import { odata } from "@cadastre/server/express";
import { entitySet, instant, integer, text } from "@cadastre/server/model";
import { sqliteSource } from "@cadastre/server/sqlite";
import Database from "better-sqlite3";
import express, { type RequestHandler } from "express";

const Property = entitySet("Property", {
  table: "listing",
  key: { ListingKey: text().column("id") },
  properties: {
    City: text().column("town").nullable(),
    ListPrice: integer().column("price"),
    StandardStatus: text().column("status"),
    ModificationTimestamp: instant("seconds").column("changed"),
  },
});
const database = new Database(":memory:");
database.exec(`create table listing (id text primary key, town text, price integer, status text, changed integer);
  with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 600)
  insert into listing select 'L' || n, case n % 3 when 0 then 'O''Fallon' when 1 then 'Austin' end, 100000 + n * 7919 % 900000,
    case n % 4 when 0 then 'Active' else 'Closed' end, 1772354400 + n from numbers`);

const service = odata({
  namespace: "Office",
  entitySets: [Property],
  source: sqliteSource(database),
  restrict: unrestricted,
});

/** Lets pages of all origins ask. */
const crossOrigin: RequestHandler = ({ method, headers }, response, next) => {
  response.setHeader("access-control-allow-origin", "*");
  response.setHeader("access-control-expose-headers", "*");
  response.setHeader("access-control-allow-headers", headers["access-control-request-headers"] ?? "");
  if (method === "OPTIONS") response.sendStatus(204);
  else next();
};

const server = express()
  .use(crossOrigin)
  .use("/odata", service)
  .listen(0, "127.0.0.1", () => {
    console.log(JSON.stringify(server.address()));
  });
