// RESO listings out of an office's own PostgreSQL table: express, knex and @cadastre/odata.
import { errorObject, QueryError } from "@cadastre/odata";
import { writeCsdlXml } from "@cadastre/odata/csdl";
import { postgresHelpers, postgresSettings } from "@cadastre/odata/postgres";
import express, { type NextFunction, type Request, type Response } from "express";
import knex from "knex";
import type { Client } from "pg";
import { page } from "./page.ts";
import { model, tables } from "./property.ts";

export const db = knex({
  client: "pg",
  connection: process.env["DATABASE_URL"] ?? "postgres://localhost/postgres",
  pool: {
    // Every session has the settings.
    afterCreate: (session: Client, done: (error: Error | null, session: Client) => void) =>
      session.query(postgresSettings.join(";"), (error) => done(error, session)),
  },
});
// The database has the functions: a step of a migration. In SQL of its own knex wants question marks escaped.
for (const helper of postgresHelpers()) await db.raw(helper.replaceAll("?", "\\?"));
if (!(await db.schema.hasTable("listing"))) await db.raw(tables);

const queryOf = ({ originalUrl }: Request) => originalUrl.split("?").slice(1).join("?");

/** What a `QueryError` says is safe to show, and nothing else is. */
function refuse(error: unknown, request: Request, response: Response, _next: NextFunction) {
  if (error instanceof QueryError) {
    const text = new URLSearchParams(queryOf(request)).get(error.option ?? "") ?? undefined;
    response.status(error.code === "not_supported" ? 501 : 400).json({ error: errorObject(error, text) });
  } else {
    console.error(error);
    response.status(500).json({ error: { code: "internal_error", message: "the server failed" } });
  }
}

export const server = express()
  .use((_request, response, next) => {
    response.set("odata-version", "4.0");
    next();
  })
  .get("/odata/Property", async (request, response) => {
    response.json(await page(db, `http://${request.get("host")}/odata`, queryOf(request)));
  })
  .get("/odata/$metadata", (_request, response) => {
    response.type("application/xml").send(writeCsdlXml(model));
  })
  .use((_request, response) => {
    response.status(404).json({ error: { code: "not_found", message: "nothing is at this address" } });
  })
  .use(refuse)
  .listen(Number(process.env["PORT"] ?? 8080), "127.0.0.1");
