import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { generateMarket } from "@cadastre/sample";
import { sampleSystems } from "@cadastre/sample/catalog";
import type { Bench } from "../bench.ts";
import { commandFile, programOf } from "../build.ts";
import { cpuOfEnded, cpuWithChildren } from "../cpu.ts";
import { atLeast, onSqlite, peersCannot, type Row } from "./row.ts";
import { sampleFolder } from "./starts.ts";

const [system] = sampleSystems;

/** Yields a file of new listings of one system, of at least so many bytes. */
function* commonFormat(bytes: number): Generator<string> {
  yield '{"@reso.context":"urn:reso:metadata:2.0:resource:property","value":[\n';
  let written = 0;
  for (const { datasetId, property } of generateMarket({
    seed: 2,
    listings: 1_000_000,
  }).listingsWithMedia()) {
    if (datasetId !== system.datasetId) continue;
    const text = JSON.stringify(property);
    yield written === 0 ? text : `,\n${text}`;
    written += text.length;
    if (written > bytes) break;
  }
  yield "]}";
}

const fileOf = (bench: Bench) =>
  bench.shared("Common Format", async () => {
    const file = join(bench.folder, "listings.json");
    await pipeline(Readable.from(commonFormat(bench.sizes.megabytes * 1e6)), createWriteStream(file));
    return file;
  });

/** Runs a program of Node to its end. Returns the megabytes of the file per second of its CPU time and of PostgreSQL's. */
async function rateOf(
  bench: Bench,
  node: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<number> {
  const { postgres } = bench;
  const spent = () => cpuOfEnded(process.pid) + (postgres === undefined ? 0 : cpuWithChildren(postgres.pid));
  const before = spent();
  const child = spawn("taskset", ["-c", "0-1", process.execPath, ...node], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "ignore", process.env["BENCH_LOG"] === undefined ? "ignore" : "inherit"],
  });
  const [code] = (await once(child, "exit")) as [number | null];
  if (code !== 0) throw new Error(`${node.join(" ")} gave ${code}: set BENCH_LOG=1 to see why`);
  return (bench.sizes.megabytes * 1000) / (spent() - before);
}

/** `cadastre ingest` of a file in RESO Common Format, from its start to its end, by CPU time. */
export const commonFormatRow: Row = {
  name: "Common Format ingested, by CPU",
  unit: "MB/s",
  goals: { SQLite: atLeast(15) },
  once: true,
  ours: async (bench) => {
    const [file, { settings }] = [await fileOf(bench), await sampleFolder(bench)];
    const given = ["--resource", "Property", "--source", system.id, "--format", "common", file];
    return rateOf(bench, [commandFile, "ingest", ...given], settings);
  },
  floor: onSqlite(async (bench) => {
    const table = join(bench.folder, "parsed.sqlite");
    return rateOf(bench, [programOf("texts-floor"), "parse", table, await fileOf(bench)]);
  }),
  peers: peersCannot,
};
