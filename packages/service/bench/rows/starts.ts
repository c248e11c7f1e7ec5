import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { freePort } from "@cadastre/odata/testing";
import { openDataFolder } from "../../src/data/data-folder.ts";
import { readDemo } from "../../src/demo/demo-file.ts";
import type { Bench } from "../bench.ts";
import { programOf, startFile } from "../build.ts";
import { connect } from "../client.ts";
import { childrenOf, cpuWithChildren } from "../cpu.ts";
import { type Servers, startListings } from "../subjects.ts";
import { median } from "../table.ts";
import { peakMemoryOf } from "../whole-service.ts";
import { atMost, type Measure, onSqlite, peersCannot, type Row } from "./row.ts";

type Settings = Readonly<Record<"CADASTRE_DATA" | "CADASTRE_LISTINGS", string>> & {
  readonly CADASTRE_DATABASE_URL?: string;
};

/**
 * A start up to the first answer: seconds, milliseconds of CPU time of the process that sets the heap and of the one that it starts, and the
 * peak of memory of the latter.
 */
type Start = { readonly seconds: number; readonly cpu: number; readonly megabytes: number };

/** Starts the program as users do, on both cores, waits for its first answer, and stops it. In an empty folder it prepares sample listings first. */
async function startOnce(settings: Settings): Promise<Start> {
  const port = await freePort();
  const folder = await openDataFolder(settings.CADASTRE_DATA);
  const before = performance.now();
  const child = spawn("taskset", ["-c", "0-1", process.execPath, startFile], {
    env: { ...process.env, ...settings, PORT: String(port) },
    stdio: ["ignore", "ignore", process.env["BENCH_LOG"] === undefined ? "ignore" : "inherit"],
  });
  const ended = once(child, "exit");
  const { pid = 0 } = child;
  try {
    while (child.exitCode === null) {
      const apiKey = (await readDemo(folder))?.keys.find(({ name }) => name === "national")?.apiKey;
      if (apiKey !== undefined && (await isAnswered(port, apiKey)))
        return {
          seconds: (performance.now() - before) / 1000,
          cpu: cpuWithChildren(pid),
          megabytes: Math.max(...childrenOf(pid).map(peakMemoryOf)),
        };
      await setTimeout(10);
    }
    throw new Error("the service did not start: set BENCH_LOG=1 to see why");
  } finally {
    child.kill("SIGTERM");
    await ended;
  }
}

async function isAnswered(port: number, apiKey: string): Promise<boolean> {
  const client = connect({ port }, 1, apiKey);
  const status = await client.get("/reso/odata/Property?$top=1").then(
    (reply) => reply.status,
    () => 0,
  );
  client.close();
  return status === 200;
}

/** A folder of sample listings, its first start, and its second starts. */
export const sampleFolder = (bench: Bench) =>
  bench.shared("sample folder", async () => {
    const { folder, postgres, sizes } = bench;
    const settings: Settings = {
      CADASTRE_DATA: await mkdtemp(join(folder, "sample-")),
      CADASTRE_LISTINGS: String(sizes.sample),
      ...(postgres !== undefined && { CADASTRE_DATABASE_URL: await bench.createDatabase("sample") }),
    };
    const first = await startOnce(settings);
    const second: Start[] = [];
    for (let round = 0; round < sizes.rounds; round++) second.push(await startOnce(settings));
    return { settings, first, second };
  });

const first =
  (figure: keyof Start): Measure =>
  async (bench) =>
    (await sampleFolder(bench)).first[figure];

const second =
  (figure: keyof Start): Measure =>
  async (bench) =>
    median((await sampleFolder(bench)).second.map((start) => start[figure]));

/** Peak memory and duration of the floor: it generates the same listings, and writes their texts into one table. */
const floorOf = (figure: "seconds" | "megabytes") =>
  onSqlite(async (bench) => (await bench.shared("texts", () => writeTexts(bench)))[figure]);

async function writeTexts({ folder, sizes }: Bench): Promise<Pick<Start, "megabytes" | "seconds">> {
  const before = performance.now();
  const texts = [join(folder, "market.sqlite"), String(sizes.sample)];
  const child = spawn("taskset", [
    "-c",
    "0-1",
    process.execPath,
    programOf("texts-floor"),
    "market",
    ...texts,
  ]);
  let megabytes = 0;
  const sampling = setInterval(() => {
    megabytes = Math.max(megabytes, peakMemoryOf(child.pid ?? 0));
  }, 20);
  await once(child, "exit");
  clearInterval(sampling);
  return { seconds: (performance.now() - before) / 1000, megabytes };
}

/** CPU time from the start of another server to its first answer. */
const cpuOfStart =
  (server: keyof Servers): Measure =>
  async (bench) => {
    const subject = (await startListings(bench))[server];
    return typeof subject === "string" ? subject : subject.startCpu;
  };

export const startRows: readonly Row[] = [
  {
    name: "sample prepared and served",
    unit: "s",
    goals: { SQLite: atMost(8) },
    once: true,
    ours: first("seconds"),
    floor: floorOf("seconds"),
    peers: peersCannot,
  },
  {
    name: "sample prepared, peak of memory",
    unit: "MB",
    goals: { SQLite: atMost(400) },
    once: true,
    ours: first("megabytes"),
    floor: floorOf("megabytes"),
    peers: peersCannot,
  },
  {
    name: "second start, to the first answer",
    unit: "s",
    goals: { SQLite: atMost(0.8) },
    once: true,
    ours: second("seconds"),
    floor: "see CPU",
    peers: { "naive code": "see CPU", "SAP CAP": "see CPU", "reso-tools": "see CPU" },
  },
  {
    name: "second start, CPU",
    unit: "CPU ms",
    goals: {},
    once: true,
    ours: second("cpu"),
    floor: cpuOfStart("floor"),
    peers: {
      "naive code": cpuOfStart("naive code"),
      "SAP CAP": cpuOfStart("SAP CAP"),
      "reso-tools": cpuOfStart("reso-tools"),
    },
  },
];
