/**
 * Measures a small server made with this package, the same one made with SAP CAP, and RESO's reference server: lines of code, requests a second
 * and CPU time. Each has its own SQLite file with the same rows and index.
 *
 *     npx tsx --conditions=@cadastre/source packages/server/bench/small-servers.ts [listings] [seconds] [folder]
 *
 * The folder is a checkout of https://github.com/RESOStandards/reso-tools, whose packages `odata-expression-parser`, `validation`,
 * `data-generator` and `reso-reference-server/server` are installed and built, with `src/*.json` of the last copied to `dist`. Without it that server
 * is left out.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { Agent, get } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { freePort } from "@cadastre/odata/testing";
import Database from "better-sqlite3";

const [listings = 20_000, seconds = 5] = process.argv.slice(2, 4).map(Number);
const resoTools = process.argv[4];
const here = fileURLToPath(new URL(".", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "small-servers-"));
const connections = 16;

/** A server, as its folder and the command that starts it on a port. */
type Subject = {
  readonly name: string;
  /** What its author writes. Empty for a whole service. */
  readonly sources: readonly string[];
  readonly cwd: string;
  readonly database: string;
  /** Table of listings, and its columns in the order of {@link fields}. */
  readonly table: string;
  readonly columns: readonly string[];
  /** Path of the service's root. */
  readonly root: string;
  readonly command: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
};

const fields = [
  ["ListingKey", "Edm.String"],
  ["City", "Edm.String"],
  ["ListPrice", "Edm.Int64"],
  ["StandardStatus", "Edm.String"],
  ["ModificationTimestamp", "Edm.DateTimeOffset"],
] as const;

const shortTable = {
  table: "listing",
  columns: ["id", "town", "price", "status", "changed"],
  root: "/odata",
} as const;

const cap = join(folder, "cap");
const metadataFile = join(folder, "metadata.json");
const subjects: readonly Subject[] = [
  {
    ...shortTable,
    name: "@cadastre/server",
    sources: ["own-server.ts"],
    cwd: here,
    database: join(folder, "own.sqlite"),
    command: [
      "node",
      "--conditions=@cadastre/source",
      "--import=tsx",
      "own-server.ts",
      join(folder, "own.sqlite"),
    ],
  },
  {
    ...shortTable,
    name: "SAP CAP",
    sources: ["cap/db/schema.cds", "cap/srv/office.cds"],
    cwd: cap,
    database: join(cap, "db.sqlite"),
    command: ["node", "node_modules/@sap/cds/bin/serve.js", "all"],
  },
  ...(resoTools === undefined ? [] : [referenceServer(join(resoTools, "reso-reference-server/server"))]),
];

function referenceServer(cwd: string): Subject {
  const database = join(folder, "reference.sqlite");
  return {
    name: "reso-tools",
    sources: [],
    cwd,
    database,
    table: "Property",
    columns: fields.map(([name]) => name),
    root: "",
    command: ["node", "dist/index.js"],
    env: { DB_BACKEND: "sqlite", SQLITE_DB_PATH: database, METADATA_PATH: metadataFile },
  };
}

function prepare(): void {
  cpSync(join(here, "cap"), cap, { recursive: true });
  const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--silent"];
  execFileSync("npm", ["install", ...options], { cwd: cap, stdio: "inherit" });
  // Both read SQLite by the same library, which need not be compiled once more.
  const driver = join(cap, "node_modules/better-sqlite3");
  rmSync(driver, { recursive: true });
  symlinkSync(dirname(createRequire(import.meta.url).resolve("better-sqlite3/package.json")), driver);
  execFileSync("node", ["node_modules/@sap/cds/bin/deploy.js"], { cwd: cap, stdio: "ignore" });
  writeFileSync(metadataFile, JSON.stringify(dictionary));
  for (const subject of subjects) fill(subject);
}

/** The dictionary of the reference server, cut down to the fields of the others. */
const dictionary = {
  version: "2.0",
  resources: [{ resourceName: "Property", payloads: [] }],
  fields: fields.map(([fieldName, type]) => ({
    resourceName: "Property",
    fieldName,
    type,
    annotations: [],
  })),
  lookups: [],
};

function fill({ database: file, table, columns: [id, town, price, status, changed] }: Subject): void {
  const database = new Database(file);
  database.exec(`create table if not exists ${table}
    (${id} text primary key, ${town} text, ${price} integer, ${status} text, ${changed} text);
  create index ${table}_town on ${table} (${town}, ${price});
  with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${listings})
  insert into ${table} (${id}, ${town}, ${price}, ${status}, ${changed})
  select 'L' || n, case when n % 50 > 0 then 'Town ' || n % 50 end, 100000 + n * 7919 % 900000,
    case n % 4 when 0 then 'Active' else 'Closed' end, strftime('%Y-%m-%dT%H:%M:%S.000Z', 1772354400 + n, 'unixepoch')
  from numbers;
  analyze`);
  database.close();
}

const queries: Readonly<Record<string, (turn: number) => string>> = {
  "by key": (turn) => `/Property('L${1 + ((turn * 7919) % listings)}')`,
  "filter, sort, 100": (turn) =>
    `/Property?$filter=City eq 'Town ${1 + (turn % 49)}' and ListPrice gt 300000&$orderby=ListPrice desc,ListingKey&$top=100`,
  "count and 20": (turn) =>
    `/Property?$filter=StandardStatus eq 'Active' and ListPrice gt ${100_000 + turn}&$orderby=ListingKey&$count=true&$top=20`,
  "1,000 records": (turn) =>
    `/Property?$filter=ListingKey ge 'L${1 + (turn % 5)}'&$orderby=ListingKey&$top=1000`,
};

const agent = new Agent({ keepAlive: true, maxSockets: connections });

const ask = ({ port, root }: Pick<Running, "port" | "root">, path: string): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const address = `http://127.0.0.1:${port}${root}${path.replaceAll(" ", "%20")}`;
    get(address, { agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => {
        const body = Buffer.concat(chunks);
        if (response.statusCode === 200) resolve(body);
        else reject(new Error(`${path} gave ${response.statusCode}: ${body.toString("utf8", 0, 300)}`));
      });
    }).on("error", reject);
  });

/** Returns the CPU time of a process so far, in milliseconds. Source: proc(5). */
function cpuOf({ pid = 0 }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Returns the records and count of an answer. */
function substanceOf(body: Buffer): unknown {
  const answer = JSON.parse(String(body)) as Record<string, unknown>;
  const { value: records = [answer], "@odata.count": count } = answer;
  const value = (records as readonly Record<string, unknown>[]).map((record) =>
    Object.fromEntries(Object.entries(record).filter(([name]) => !name.startsWith("@"))),
  );
  return { value, count };
}

type Running = {
  readonly name: string;
  readonly child: ChildProcess;
  readonly port: number;
  readonly root: string;
};

async function start({ command: [program = "", ...args], cwd, name, root, env }: Subject): Promise<Running> {
  const port = await freePort();
  const child = spawn(program, args, {
    cwd,
    env: { ...process.env, ...env, PORT: String(port) },
    stdio: process.env["BENCH_LOG"] === undefined ? "ignore" : "inherit",
  });
  for (let i = 0; i < 300; i++) {
    await new Promise((resolve) => void setTimeout(resolve, 100));
    const isReady = await ask({ port, root }, "/Property?$top=1").then(
      () => true,
      () => false,
    );
    if (isReady) return { name, child, port, root };
  }
  child.kill("SIGKILL");
  throw new Error(`${program} ${args.join(" ")} does not start: set BENCH_LOG=1 to see why`);
}

/** Sends requests for a time. Returns requests a second and CPU milliseconds of a request. */
async function drive(server: Running, pathOf: (turn: number) => string) {
  const { child } = server;
  let turn = 0;
  for (let i = 0; i < 200; i++) await ask(server, pathOf(turn++));
  const [cpu, started, first] = [cpuOf(child), performance.now(), turn];
  const end = started + seconds * 1000;
  const work = async () => {
    while (performance.now() < end) await ask(server, pathOf(turn++));
  };
  await Promise.all(Array.from({ length: connections }, work));
  const requests = turn - first;
  return {
    rate: requests / ((performance.now() - started) / 1000),
    cpu: (cpuOf(child) - cpu) / requests,
  };
}

const linesOf = ({ sources }: Subject): number =>
  sources
    .flatMap((file) => readFileSync(join(here, file), "utf8").split("\n"))
    .filter((line) => line.trim() !== "" && !line.startsWith("//")).length;

try {
  prepare();
  const running: Running[] = [];
  try {
    for (const subject of subjects) running.push(await start(subject));
    for (const [name, pathOf] of Object.entries(queries)) {
      const [own, ...others] = await Promise.all(
        running.map(async (server) => substanceOf(await ask(server, pathOf(7)))),
      );
      for (const [i, other] of others.entries())
        if (!isDeepStrictEqual(own, other))
          throw new Error(`${name}: the answer of ${running[i + 1]?.name} differs`);
    }
    const written = subjects.filter(({ sources }) => sources.length > 0);
    console.log(`lines: ${written.map((one) => `${one.name} ${linesOf(one)}`).join(", ")}`);
    console.log("| query | server | requests/s | CPU ms | times ours |\n|---|---|--:|--:|--:|");
    for (const [query, pathOf] of Object.entries(queries)) {
      let ours: number | undefined;
      for (const server of running) {
        const { rate, cpu } = await drive(server, pathOf);
        ours ??= cpu;
        const cells = [query, server.name, rate.toFixed(0), cpu.toFixed(2), (cpu / ours).toFixed(1)];
        console.log(`| ${cells.join(" | ")} |`);
      }
    }
  } finally {
    for (const { child } of running) child.kill("SIGKILL");
    agent.destroy();
  }
} finally {
  if (existsSync(folder)) rmSync(folder, { recursive: true, force: true });
}
