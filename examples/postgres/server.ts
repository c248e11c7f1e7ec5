// RESO listings out of an office's own PostgreSQL tables: express, knex and @cadastre/server.
import { everything, filter } from "@cadastre/server";
import { odata } from "@cadastre/server/express";
import { afterCreate, knexSource, prepareKnex } from "@cadastre/server/knex";
import express from "express";
import knex from "knex";
import { Photo, Property, tables } from "./listings.ts";

export const db = knex({
  client: "pg",
  connection: process.env["DATABASE_URL"] ?? "postgres://localhost/postgres",
  pool: { afterCreate },
});
// Once for each database: a step of a migration.
await prepareKnex(db);
if (!(await db.schema.hasTable("listing"))) await db.raw(tables);

const service = odata({
  namespace: "Office",
  entitySets: [Property, Photo],
  source: knexSource(db),
  // Who sends a town sees its listings only, and counts, filters and expands no others.
  restrict: ({ headers }) => {
    const town = headers["x-town"];
    return {
      Property: town === undefined ? everything : filter("City eq @town", { town: String(town) }),
      Photo: everything,
    };
  },
});

export const server = express()
  .use("/odata", service)
  .listen(Number(process.env["PORT"] ?? 8080), "127.0.0.1");
