/**
 * Measures a small server made with this package, and the same one made with SAP CAP: lines of code, requests a second and CPU time. Each has
 * its own SQLite file with the same rows and index.
 *
 *     npx tsx --conditions=@cadastre/source packages/server/bench/small-servers.ts [listings] [seconds]
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { Agent, get } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { freePort } from "@cadastre/odata/testing";
import Database from "better-sqlite3";

const [listings = 20_000, seconds = 5] = process.argv.slice(2).map(Number);
const here = fileURLToPath(new URL(".", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "small-servers-"));
const connections = 16;

/** A server, as its folder and the command that starts it on a port. */
type Subject = {
  readonly name: string;
  readonly sources: readonly string[];
  readonly cwd: string;
  readonly database: string;
  readonly command: readonly string[];
};

const cap = join(folder, "cap");
const subjects: readonly Subject[] = [
  {
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
    name: "SAP CAP",
    sources: ["cap/db/schema.cds", "cap/srv/office.cds"],
    cwd: cap,
    database: join(cap, "db.sqlite"),
    command: ["node", "node_modules/@sap/cds/bin/serve.js", "all"],
  },
];

function prepare(): void {
  cpSync(join(here, "cap"), cap, { recursive: true });
  const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--silent"];
  execFileSync("npm", ["install", ...options], { cwd: cap, stdio: "inherit" });
  // Both read SQLite by the same library, which need not be compiled once more.
  const driver = join(cap, "node_modules/better-sqlite3");
  rmSync(driver, { recursive: true });
  symlinkSync(dirname(createRequire(import.meta.url).resolve("better-sqlite3/package.json")), driver);
  execFileSync("node", ["node_modules/@sap/cds/bin/deploy.js"], { cwd: cap, stdio: "ignore" });
  for (const { database } of subjects) fill(database);
}

function fill(file: string): void {
  const database = new Database(file);
  database.exec(`create table if not exists listing
    (id text primary key, town text, price integer, status text, changed text);
  create index listing_town on listing (town, price);
  with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${listings})
  insert into listing (id, town, price, status, changed)
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
  "1,000 records": (turn) => `/Property?$orderby=ListingKey&$top=1000&$skip=${turn % 100}`,
};

const agent = new Agent({ keepAlive: true, maxSockets: connections });

const ask = (port: number, path: string): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const address = `http://127.0.0.1:${port}/odata${path.replaceAll(" ", "%20")}`;
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
  const {
    value,
    "@odata.count": count,
    "@odata.context": _,
    ...entity
  } = JSON.parse(String(body)) as Record<string, unknown>;
  return value === undefined ? entity : { value, count };
}

type Running = { readonly child: ChildProcess; readonly port: number };

async function start({ command: [program = "", ...args], cwd }: Subject): Promise<Running> {
  const port = await freePort();
  const child = spawn(program, args, {
    cwd,
    env: { ...process.env, PORT: String(port) },
    stdio: process.env["BENCH_LOG"] === undefined ? "ignore" : "inherit",
  });
  for (let i = 0; i < 300; i++) {
    await new Promise((resolve) => void setTimeout(resolve, 100));
    const isReady = await ask(port, "/Property?$top=1").then(
      () => true,
      () => false,
    );
    if (isReady) return { child, port };
  }
  child.kill("SIGKILL");
  throw new Error(`${program} ${args.join(" ")} does not start: set BENCH_LOG=1 to see why`);
}

/** Sends requests for a time. Returns requests a second and CPU milliseconds of a request. */
async function drive({ child, port }: Running, pathOf: (turn: number) => string) {
  let turn = 0;
  for (let i = 0; i < 200; i++) await ask(port, pathOf(turn++));
  const [cpu, started, first] = [cpuOf(child), performance.now(), turn];
  const end = started + seconds * 1000;
  const work = async () => {
    while (performance.now() < end) await ask(port, pathOf(turn++));
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
      const [own, other] = await Promise.all(
        running.map(async ({ port }) => substanceOf(await ask(port, pathOf(7)))),
      );
      if (!isDeepStrictEqual(own, other)) throw new Error(`${name}: the answers differ`);
    }
    console.log(`lines: ${subjects.map((one) => `${one.name} ${linesOf(one)}`).join(", ")}`);
    console.log(
      "| query | requests/s | of SAP CAP | CPU ms | of SAP CAP | ratio |\n|---|--:|--:|--:|--:|--:|",
    );
    for (const [name, pathOf] of Object.entries(queries)) {
      const costs = [];
      for (const server of running) costs.push(await drive(server, pathOf));
      const [own, other] = costs as [(typeof costs)[0], (typeof costs)[0]];
      const cells = [own.rate, other.rate].map((rate) => rate.toFixed(0));
      const cpus = [own.cpu, other.cpu].map((cpu) => cpu.toFixed(2));
      console.log(`| ${[name, ...cells, ...cpus, (other.cpu / own.cpu).toFixed(1)].join(" | ")} |`);
    }
  } finally {
    for (const { child } of running) child.kill("SIGKILL");
    agent.destroy();
  }
} finally {
  if (existsSync(folder)) rmSync(folder, { recursive: true, force: true });
}
