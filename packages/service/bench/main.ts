/*
 * The service beside floors and peers: one table for each database.
 *
 *   npm run bench -- [--small] [--reso-tools <checkout>] [--databases SQLite,PostgreSQL] [--rows "key;mix"] [--listings 200000] [--rounds 3] …
 *
 * Each server is pinned to one core, a PostgreSQL server to the same, and measured alone; the client runs on the other core. Figures are
 * medians of rounds in which the servers take turns. A run of all rows writes its table and picture into the docs, unless it is a small one.
 */
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { hasPostgres } from "@cadastre/odata/testing";
import { type Bench, type Database, databases, openBench, type Sizes } from "./bench.ts";
import { build } from "./build.ts";
import { dotsSvg } from "./dots.ts";
import { moveToClientCore } from "./processes.ts";
import { type Measured, ratio, summaryOf, tableOf } from "./report.ts";
import type { Figure, Measure, Row } from "./rows/row.ts";
import { rows } from "./rows/rows.ts";
import { chosenOf } from "./settings.ts";
import { type Peer, peers } from "./subjects.ts";
import { median } from "./table.ts";

const full: Sizes = {
  listings: 200_000,
  dictionary: 5000,
  sample: 20_000,
  megabytes: 60,
  rounds: 3,
  warm: 6,
  seconds: 1.5,
  pages: 100,
  mix: 60,
};
/** Enough to find what does not work. */
const small: Sizes = {
  listings: 3000,
  dictionary: 250,
  sample: 60,
  megabytes: 0.2,
  rounds: 1,
  warm: 0.1,
  seconds: 0.2,
  pages: 2,
  mix: 1,
};

const sizeNames = Object.keys(full) as (keyof Sizes)[];
const text = { type: "string" } as const;
const { values: given } = parseArgs({
  options: {
    small: { type: "boolean", default: false },
    "reso-tools": text,
    databases: { ...text, default: databases.join(",") },
    rows: text,
    ...(Object.fromEntries(sizeNames.map((name) => [name, text])) as Record<keyof Sizes, typeof text>),
  },
});
const defaults = given.small ? small : full;
const sizes = Object.fromEntries(
  sizeNames.map((name) => [name, Number(given[name] ?? defaults[name])]),
) as Sizes;
/** Goals are for the numbers of records by default. */
const isJudged = (["listings", "dictionary", "sample"] as const).every((name) => sizes[name] === full[name]);
const chosen = given.rows === undefined ? rows : chosenOf(given.rows, rows);

const measureOnce = (measure: Measure, bench: Bench): Promise<Figure> | string =>
  typeof measure === "string" ? measure : measure(bench);

/** Measures a row in rounds in which the servers take turns. A server that gives a reason for no figure is not asked again. */
async function measureRow(row: Row, bench: Bench): Promise<Measured> {
  const measures: readonly Measure[] = [row.ours, row.floor, ...peers.map((peer) => row.peers[peer])];
  const figures = measures.map((): Figure[] => []);
  for (let round = 0; round < (row.once ? 1 : sizes.rounds); round++)
    for (const [i, measure] of measures.entries())
      if (typeof figures[i]?.[0] !== "string") figures[i]?.push(await measureOnce(measure, bench));
  const [ours = "", floor = "", ...others] = figures.map((all): Figure => {
    const [first = ""] = all;
    return typeof first === "string" ? first : median(all as readonly number[]);
  });
  const ofPeers = Object.fromEntries(peers.map((peer, i) => [peer, others[i] ?? ""]));
  return { row, ours, floor, peers: ofPeers as Record<Peer, Figure>, isJudged };
}

/** A row of a database that cannot be run. */
const absent = (row: Row, reason: string): Measured => ({
  row,
  ours: reason,
  floor: reason,
  peers: Object.fromEntries(peers.map((peer) => [peer, reason])) as Record<Peer, string>,
  isJudged,
});

async function measureAll(database: Database, folder: string): Promise<readonly Measured[]> {
  if (database === "PostgreSQL" && !hasPostgres) return chosen.map((row) => absent(row, "no PostgreSQL"));
  const bench = await openBench(database, { sizes, resoTools: given["reso-tools"], folder });
  try {
    const measured: Measured[] = [];
    for (const row of chosen) {
      measured.push(await measureRow(row, bench));
      console.error(`${database}, ${row.name}: ${String(measured.at(-1)?.ours)}`);
    }
    return measured;
  } finally {
    await bench.stop();
  }
}

/** Returns a plot of what requests cost, by the floor. */
const pictureOf = (measured: readonly Measured[]): string =>
  dotsSvg({
    title: "CPU of a request, times the floor",
    series: ["service", ...peers],
    rows: measured
      .filter(({ row, floor }) => row.unit === "CPU ms" && !row.once && typeof floor === "number")
      .map(({ row, ours, floor, peers: others }) => ({
        name: row.name,
        values: [ours, ...peers.map((peer) => others[peer])].map((figure) => {
          const found = ratio(figure, floor);
          return typeof found === "number" ? found : undefined;
        }),
      })),
  });

const docs = fileURLToPath(new URL("../../../docs/", import.meta.url));
const end = "<!-- to here -->";

/** Writes a database's part of the docs. That of SQLite begins with a summary and a picture. */
async function writeDocs(database: Database, measured: readonly Measured[]): Promise<void> {
  const file = join(docs, "benchmarks.md");
  const start = `<!-- made by npm run bench, on ${database} -->`;
  const [before = "", rest = ""] = readFileSync(file, "utf8").split(start);
  if (!rest.includes(end)) throw new Error(`${file} has no ${start} … ${end}`);
  const { listings, dictionary, sample, megabytes } = sizes;
  const [all, whole, own] = [listings, dictionary, sample].map((size) => size.toLocaleString("en-US"));
  const [processor] = cpus();
  const made = [
    `\`\`\`sh\n${command}\n\`\`\``,
    `${new Date().toISOString().slice(0, 10)}, Node ${process.versions.node}, ${cpus().length} cores${processor === undefined ? "" : ` (${processor.model.trim()})`}. ${all} listings of 64 fields, ${whole} of 946, a sample of ${own}, a file of ${megabytes} MB.`,
    tableOf(measured, database),
  ];
  if (database === "SQLite") {
    await writeFile(join(docs, "benchmarks.svg"), pictureOf(measured));
    made.unshift(summaryOf(measured, database), "![CPU of a request, times the floor](benchmarks.svg)");
  }
  const text = `${start}\n\n${made.join("\n\n")}\n\n${end}`;
  await writeFile(file, `${before}${text}${rest.slice(rest.indexOf(end) + end.length)}`);
}

const options = process.argv.slice(2).map((text) => (text === given["reso-tools"] ? "<checkout>" : text));
const command = ["npm run bench", ...(options.length === 0 ? [] : ["--", ...options])].join(" ");

build();
moveToClientCore();
const folder = await mkdtemp(join(tmpdir(), "cadastre-bench-"));
try {
  for (const database of databases) {
    if (!given.databases.split(",").includes(database)) continue;
    const place = await mkdtemp(join(folder, "database-"));
    const measured = await measureAll(database, place);
    console.log(`\n${tableOf(measured, database)}`);
    // The docs have whole tables.
    if (!given.small && given.rows === undefined) await writeDocs(database, measured);
    await rm(place, { recursive: true, force: true });
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
