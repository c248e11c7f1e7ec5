import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fillTable } from "../floor-table.ts";
import { columns, typeOf } from "../listing-columns.ts";
import type { BenchPostgres } from "../postgres-server.ts";
import type { Running } from "../processes.ts";
import { startPeer } from "./peer.ts";

const types = {
  text: "Edm.String",
  date: "Edm.Date",
  instant: "Edm.DateTimeOffset",
  boolean: "Edm.Boolean",
  integer: "Edm.Int64",
  double: "Edm.Decimal",
} as const;

/** The dictionary of the server, cut down to the fields of the floor. */
const dictionary = {
  version: "2.0",
  resources: [{ resourceName: "Property", payloads: [] }],
  fields: columns.map((fieldName) => ({
    resourceName: "Property",
    fieldName,
    type: types[typeOf(fieldName)],
    annotations: [],
  })),
  lookups: [],
};

/**
 * Starts RESO's reference server over the listings, with the indexes of the floor.
 *
 * @param checkout folder of https://github.com/RESOStandards/reso-tools, in which the packages `odata-expression-parser`, `validation`,
 * `data-generator` and `reso-reference-server/server` are installed and built, and `src/*.json` of the last are copied to `dist`
 */
export async function startResoTools(
  checkout: string,
  folder: string,
  listings: number,
  postgres: BenchPostgres | undefined,
): Promise<Running | string> {
  const cwd = join(checkout, "reso-reference-server/server");
  if (!existsSync(join(cwd, "dist/index.js"))) return "not built";
  const metadata = join(folder, "reso-tools.json");
  writeFileSync(metadata, JSON.stringify(dictionary));
  const common = { cwd, node: ["dist/index.js"], ready: "/Property?$top=1" };
  if (postgres === undefined) {
    const file = join(folder, "reso-tools.sqlite");
    await fillTable(file, listings, "Property");
    const env = { DB_BACKEND: "sqlite", SQLITE_DB_PATH: file, METADATA_PATH: metadata };
    return startPeer({ ...common, env });
  }
  const url = await postgres.createDatabase();
  await fillTable(url, listings, "Property", "proper");
  await postgres.settle(url);
  return startPeer({
    ...common,
    env: { DB_BACKEND: "postgres", DATABASE_URL: url, METADATA_PATH: metadata },
  });
}
