import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { fillTable } from "../floor-table.ts";
import { columns, typeOf } from "../listing-columns.ts";
import type { Running } from "../processes.ts";
import { startPeer } from "./peer.ts";

/** Its versions, and its settings. */
const manifest = fileURLToPath(new URL("../../../server/bench/cap/package.json", import.meta.url));

const types = {
  text: "String",
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

/**
 * Installs SAP CAP from npm, and starts it over the listings, with the indexes of the floor. Returns why there is none if npm does not
 * install it.
 */
export async function startCap(folder: string, listings: number): Promise<Running | string> {
  const cwd = join(folder, "cap");
  for (const part of ["db", "srv"]) mkdirSync(join(cwd, part), { recursive: true });
  cpSync(manifest, join(cwd, "package.json"));
  writeFileSync(join(cwd, "db/schema.cds"), schema);
  writeFileSync(join(cwd, "srv/office.cds"), service);
  try {
    const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--silent", "--prefer-offline"];
    execFileSync("npm", ["install", ...options], { cwd, stdio: ["ignore", "ignore", "inherit"] });
  } catch {
    return "not installed";
  }
  // It reads SQLite by the same library as the service, which need not be compiled once more.
  const driver = join(cwd, "node_modules/better-sqlite3");
  rmSync(driver, { recursive: true });
  symlinkSync(dirname(createRequire(import.meta.url).resolve("better-sqlite3/package.json")), driver);
  execFileSync(process.execPath, ["node_modules/@sap/cds/bin/deploy.js"], { cwd, stdio: "ignore" });
  await fillTable(join(cwd, "db.sqlite"), listings);
  return startPeer({
    cwd,
    node: ["node_modules/@sap/cds/bin/serve.js", "all"],
    ready: "/odata/Property?$top=1",
  });
}
