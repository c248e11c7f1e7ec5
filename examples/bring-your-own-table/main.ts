// Another server, its own table: OData query options answered from SQLite with @cadastre/odata alone.
import { createServer } from "node:http";
import {
  bindQuery,
  compilePage,
  type EntitySet,
  parseQueryOptions,
  QueryError,
  readOption,
  sqlite,
  tableMapping,
} from "@cadastre/odata";
import { registerFunctions } from "@cadastre/odata/sqlite";
import Database from "better-sqlite3";

const homes: EntitySet = {
  name: "Homes",
  type: {
    name: "Home",
    key: ["Id"],
    properties: new Map([
      ["Id", { name: "Id", type: "Edm.Int64", collection: false, nullable: false }],
      ["Town", { name: "Town", type: "Edm.String", collection: false, nullable: true }],
      ["Price", { name: "Price", type: "Edm.Double", collection: false, nullable: true }],
    ]),
  },
};
const mapping = tableMapping("home", { Id: "id", Town: "town", Price: "asking_price" });

const database = new Database(":memory:");
registerFunctions(database);
database.exec(`
  create table home (id integer primary key, town text, asking_price real);
  insert into home values (1, 'York', 250000), (2, 'O''Fallon', 410000), (3, null, 199000), (4, 'York', null);
`);

/** The rows that an OData query string asks for. */
function query(queryString: string): unknown[] {
  const options = parseQueryOptions(queryString);
  const bound = bindQuery(
    {
      filter: readOption(options, "$filter"),
      orderBy: readOption(options, "$orderby"),
      select: readOption(options, "$select"),
      top: readOption(options, "$top") ?? 100,
      skip: readOption(options, "$skip") ?? 0,
    },
    homes,
  );
  const { text, values } = compilePage(bound, sqlite, mapping);
  return database.prepare(text).all(...values);
}

export const server = createServer((request, response) => {
  const [, queryString = ""] = (request.url ?? "").split("?");
  response.setHeader("content-type", "application/json");
  try {
    response.end(JSON.stringify({ value: query(queryString) }));
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    response.statusCode = 400;
    response.end(JSON.stringify({ error: { code: error.code, message: error.message } }));
  }
}).listen(Number(process.env["PORT"] ?? 0), "127.0.0.1");
