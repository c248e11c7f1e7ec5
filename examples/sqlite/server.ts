// RESO listings out of an office's own SQLite table: express, better-sqlite3 and @cadastre/server.
import { unrestricted } from "@cadastre/server";
import { odata } from "@cadastre/server/express";
import { sqliteSource } from "@cadastre/server/sqlite";
import Database from "better-sqlite3";
import express from "express";
import { Property, tables } from "./listings.ts";

const database = new Database(":memory:");
database.exec(tables);

const service = odata({
  namespace: "Office",
  entitySets: [Property],
  source: sqliteSource(database),
  restrict: unrestricted,
});

export const server = express()
  .use("/odata", service)
  .listen(Number(process.env["PORT"] ?? 8080), "127.0.0.1");
