// The measured server: listings out of a SQLite file, which the command line names.
import { unrestricted } from "@cadastre/server";
import { odata } from "@cadastre/server/express";
import { entitySet, instant, integer, text } from "@cadastre/server/model";
import { sqliteSource } from "@cadastre/server/sqlite";
import Database from "better-sqlite3";
import express from "express";

const Property = entitySet("Property", {
  table: "listing",
  key: { ListingKey: text().column("id") },
  properties: {
    City: text().column("town").nullable(),
    ListPrice: integer().column("price").nullable(),
    StandardStatus: text().column("status").nullable(),
    ModificationTimestamp: instant("iso-text").column("changed").nullable(),
  },
});

const source = sqliteSource(new Database(process.argv[2], { readonly: true }));
const service = odata({ namespace: "Office", entitySets: [Property], source, restrict: unrestricted });
express().use("/odata", service).listen(Number(process.env["PORT"]), "127.0.0.1");
