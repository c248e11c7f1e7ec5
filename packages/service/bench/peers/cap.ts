import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { fillTable } from "../floor-table.ts";
import { columns, typeOf } from "../listing-columns.ts";
import type { BenchPostgres } from "../postgres-server.ts";
import type { Running } from "../processes.ts";
import { startPeer } from "./peer.ts";

/** Its versions, and its settings. */
const manifest = fileURLToPath(new URL("../../../server/bench/cap/package.json", import.meta.url));

const types = {
  text: "String(4000)",
  date: "Date",
  instant: "Timestamp",
  boolean: "Boolean",
  integer: "Integer",
  double: "Double",
} as const;

const members = columns.map(
  (column) => `${column === "ListingKey" ? "key " : ""}${column} : ${types[typeOf(column)]};`,
);
const schema = `entity listing { ${members.join(" ")} }\n`;
const service = `using { listing } from '../db/schema';

@path: '/odata' @readonly
service Office { entity Property as select from listing; };
`;

type Manifest = {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly cds: { readonly requires: Readonly<Record<string, unknown>> };
};

/** Returns the settings for a database of PostgreSQL. */
function onPostgres({ dependencies, cds, ...rest }: Manifest, url: string): Manifest {
  const { hostname: host, port, username: user, password, pathname } = new URL(url);
  const credentials = { host, port, user, password, database: pathname.slice(1) };
  const { "@cap-js/sqlite": _, ...others } = dependencies;
  return {
    ...rest,
    dependencies: { ...others, "@cap-js/postgres": "2.3.0" },
    cds: { ...cds, requires: { ...cds.requires, db: { kind: "postgres", credentials } } },
  };
}

/**
 * Installs SAP CAP from npm, and starts it over the listings, with the indexes of the floor. Returns why there is none if npm does not
 * install it.
 */
export async function startCap(
  folder: string,
  listings: number,
  postgres: BenchPostgres | undefined,
): Promise<Running | string> {
  const cwd = join(folder, "cap");
  for (const part of ["db", "srv"]) mkdirSync(join(cwd, part), { recursive: true });
  const url = await postgres?.createDatabase();
  const settings = JSON.parse(readFileSync(manifest, "utf8")) as Manifest;
  writeFileSync(
    join(cwd, "package.json"),
    JSON.stringify(url === undefined ? settings : onPostgres(settings, url)),
  );
  writeFileSync(join(cwd, "db/schema.cds"), schema);
  writeFileSync(join(cwd, "srv/office.cds"), service);
  try {
    const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--silent", "--prefer-offline"];
    execFileSync("npm", ["install", ...options], { cwd, stdio: ["ignore", "ignore", "inherit"] });
  } catch {
    return "not installed";
  }
  if (url === undefined) {
    // It reads SQLite by the same library as the service, which need not be compiled once more.
    const driver = join(cwd, "node_modules/better-sqlite3");
    rmSync(driver, { recursive: true });
    symlinkSync(dirname(createRequire(import.meta.url).resolve("better-sqlite3/package.json")), driver);
  }
  const stdio = process.env["BENCH_LOG"] === undefined ? "ignore" : "inherit";
  execFileSync(process.execPath, ["node_modules/@sap/cds/bin/deploy.js"], { cwd, stdio });
  await fillTable(url ?? join(cwd, "db.sqlite"), listings, "listing", "lower");
  if (url !== undefined) await postgres?.settle(url);
  return startPeer({
    cwd,
    node: ["node_modules/@sap/cds/bin/serve.js", "all"],
    ready: "/odata/Property?$top=1",
  });
}
