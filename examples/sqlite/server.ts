// RESO listings out of an office's own SQLite table: node:http, better-sqlite3 and @cadastre/odata.
import { createServer } from "node:http";
import { errorObject, QueryError } from "@cadastre/odata";
import { writeCsdlXml } from "@cadastre/odata/csdl";
import { registerFunctions } from "@cadastre/odata/sqlite";
import Database from "better-sqlite3";
import { page } from "./page.ts";
import { model, tables } from "./property.ts";

const database = new Database(":memory:");
registerFunctions(database);
database.exec(tables);

type Answer = { readonly status: number; readonly type: string; readonly body: string };

const json = (status: number, value: object): Answer => ({
  status,
  type: "application/json",
  body: JSON.stringify(value),
});

function answer(root: string, path: string, query: string): Answer {
  if (path === "/odata/Property") return json(200, page(database, root, query));
  if (path === "/odata/$metadata") return { status: 200, type: "application/xml", body: writeCsdlXml(model) };
  return json(404, { error: { code: "not_found", message: "nothing is at this address" } });
}

/** What a `QueryError` says is safe to show, and nothing else is. */
function refusal(error: unknown, query: string): Answer {
  if (error instanceof QueryError) {
    const text = new URLSearchParams(query).get(error.option ?? "") ?? undefined;
    return json(error.code === "not_supported" ? 501 : 400, { error: errorObject(error, text) });
  }
  console.error(error);
  return json(500, { error: { code: "internal_error", message: "the server failed" } });
}

const respond = (root: string, path: string, query: string): Answer => {
  try {
    return answer(root, path, query);
  } catch (error) {
    return refusal(error, query);
  }
};

export const server = createServer((request, response) => {
  const [path = "", ...rest] = (request.url ?? "").split("?");
  const { status, type, body } = respond(`http://${request.headers.host}/odata`, path, rest.join("?"));
  response.writeHead(status, { "content-type": type, "odata-version": "4.0" }).end(body);
}).listen(Number(process.env["PORT"] ?? 8080), "127.0.0.1");
