/*
 * Redemption of a part, compared with nginx, which sends the same file with `sendfile`: a large, a usual and a small part, over one and
 * over eight connections. Both servers are pinned to core 0, the client to core 1. Without nginx, the floor is the least server of Node.
 *
 *   node --conditions=@cadastre/source --import tsx packages/service/bench/redemption.ts [--listings 30000] [--rounds 7] [--seconds 2] \
 *     [--goals met|ignored]
 *
 * The delivery is built and granted by the whole service. Rates are medians of alternating rounds. Before, all parts of the delivery are
 * redeemed twice: the service verifies each by its SHA-256 then, and the part of the rounds by the tags of its pieces.
 */
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { build, programOf } from "./build.ts";
import { cpuOf } from "./cpu.ts";
import { hasNginx, startNginx } from "./nginx.ts";
import { moveToClientCore, start } from "./processes.ts";
import { settingsOf } from "./settings.ts";
import { head, line, median, number } from "./table.ts";
import { openTransfers } from "./transfer.ts";
import { memoryOf, startWhole, type WholeService } from "./whole-service.ts";

const given = settingsOf({ listings: "30000", rounds: "7", seconds: "2", goals: "met" });
const [rounds, seconds] = [Number(given.rounds), Number(given.seconds)];
const connections = [1, 8];
const serverCore = "0";

/** Sizes of the parts in bytes. They are not compressed, so that they have these sizes. The usual size is that of the standard profiles. */
const sizes = { small: 2_000_000, usual: 8_000_000, large: 200_000_000 } as const;

/** Minimum ratio of the service's rate to nginx's, by size. */
const goals: Readonly<Record<keyof typeof sizes, number>> = { small: 0.6, usual: 0.8, large: 0.8 };

type Part = { readonly number: number; readonly sha256: string; readonly byteLength: number };

/** Server and request for a part. */
type Source = {
  readonly pid: number;
  readonly port: number;
  readonly path: string;
  readonly headers: readonly string[];
};

/** Bytes per second of wall-clock time and per second of the server's CPU time, and the server's memory in megabytes. */
type Rate = { readonly wall: number; readonly cpu: number; readonly memory: number };

/** Fetches a part repeatedly for `duration` seconds over `count` connections. Waits for started transfers. */
async function rateOf({ pid, port, path, headers }: Source, count: number, duration: number): Promise<Rate> {
  const open = Array.from({ length: count }, () => openTransfers(port, path, headers));
  const [cpu, started] = [cpuOf(pid), performance.now()];
  let [bytes, memory] = [0, 0];
  const fetchOn = async (transfers: (typeof open)[number]) => {
    do {
      // Not added in one expression, which would take the sum before others have added theirs.
      const fetched = await transfers.fetch();
      bytes += fetched;
    } while (performance.now() - started < duration * 1000);
    memory = Math.max(memory, memoryOf(pid));
  };
  await Promise.all(open.map(fetchOn));
  const rate = {
    wall: (bytes * 1000) / (performance.now() - started),
    cpu: (bytes * 1000) / (cpuOf(pid) - cpu),
    memory,
  };
  for (const transfers of open) transfers.close();
  return rate;
}

/** @throws {Error} if the server does not send the bytes of the part */
async function requirePart({ port, path, headers }: Source, { sha256 }: Part): Promise<void> {
  const hash = createHash("sha256");
  const transfers = openTransfers(port, path, headers);
  await transfers.fetch((bytes) => hash.update(bytes));
  transfers.close();
  if (hash.digest("hex") !== sha256) throw new Error(`${path} gave other bytes`);
}

async function ask<Data>({ baseUrl, apiKey }: WholeService, path: string, body?: object): Promise<Data> {
  const reply = await fetch(baseUrl + path, {
    method: body === undefined ? "GET" : "POST",
    headers: { "x-api-key": apiKey, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!reply.ok) throw new Error(`${path} gave ${reply.status}`);
  return ((await reply.json()) as { data: Data }).data;
}

/** Creates a delivery with an output profile, and returns its parts, the largest first. */
async function partsOf(service: WholeService, profileId: string): Promise<{ id: string; parts: Part[] }> {
  const asked = { domain: "listing", deliveryMode: "pull", idempotencyKey: profileId, profileId };
  const { id } = await ask<{ id: string }>(service, "/v1/file-exports", asked);
  for (;;) {
    const { status } = await ask<{ status: string }>(service, `/v1/file-exports/${id}`);
    if (status === "complete") break;
    if (status !== "queued" && status !== "building") throw new Error(`the delivery is ${status}`);
    await setTimeout(200);
  }
  const { parts } = await ask<{ parts: Part[] }>(service, `/v1/file-exports/${id}/manifest`);
  return { id, parts: parts.toSorted((a, b) => b.byteLength - a.byteLength) };
}

/** Requests a grant for a part, and returns its redemption. A grant expires after 300 s, so each round needs a new one. */
async function redeemed(service: WholeService, id: string, { number: part }: Part): Promise<Source> {
  type Grant = { readonly url: string; readonly bearer_token: string };
  const { url, bearer_token } = await ask<Grant>(service, `/v1/file-exports/${id}/download?part=${part}`);
  const headers = [`x-api-key: ${service.apiKey}`, `authorization: Bearer ${bearer_token}`];
  return { pid: service.pid, port: Number(new URL(service.baseUrl).port), path: url, headers };
}

/** Redeems each part once, one after the other. */
async function rateOfAll(service: WholeService, id: string, parts: readonly Part[]): Promise<Rate> {
  const sources: Source[] = [];
  for (const part of parts) sources.push(await redeemed(service, id, part));
  const [cpu, started] = [cpuOf(service.pid), performance.now()];
  let bytes = 0;
  for (const { port, path, headers } of sources) {
    const transfers = openTransfers(port, path, headers);
    bytes += await transfers.fetch();
    transfers.close();
  }
  return {
    wall: (bytes * 1000) / (performance.now() - started),
    cpu: (bytes * 1000) / (cpuOf(service.pid) - cpu),
    memory: memoryOf(service.pid),
  };
}

const profilesFile = JSON.stringify({
  profiles: Object.entries(sizes).map(([id, partBytes]) => ({
    id,
    version: 1,
    domain: "listing",
    fields: { listing: "*" },
    format: "jsonl",
    compression: "none",
    partBytes,
  })),
});

async function compare(
  service: WholeService,
  nginx: Omit<Source, "path" | "headers">,
  size: keyof typeof sizes,
): Promise<boolean> {
  const { id, parts } = await partsOf(service, size);
  const [part] = parts;
  if (part === undefined) throw new Error("the delivery has no parts");
  // The first time warms up.
  await rateOfAll(service, id, parts);
  const hashed = await rateOfAll(service, id, parts);
  const path = `/${part.sha256.slice(0, 2)}/${part.sha256}`;
  const file: Source = { ...nginx, path, headers: [] };
  await requirePart(await redeemed(service, id, part), part);
  await requirePart(file, part);
  let isMet = true;
  for (const count of connections) {
    const [ours, theirs]: [Rate[], Rate[]] = [[], []];
    // Round -1 warms up.
    for (let round = -1; round < rounds; round++) {
      const found = await rateOf(await redeemed(service, id, part), count, seconds);
      const floor = await rateOf(file, count, seconds);
      if (round < 0) continue;
      ours.push(found);
      theirs.push(floor);
    }
    const of = (rates: readonly Rate[], what: keyof Rate) => median(rates.map((rate) => rate[what]));
    const ratio = of(ours, "wall") / of(theirs, "wall");
    isMet &&= ratio >= goals[size];
    console.log(
      line(
        `${number(part.byteLength / 1e6)} MB, ${count}`,
        number(of(ours, "wall") / 1e6),
        number(of(theirs, "wall") / 1e6),
        number(ratio),
        number(hashed.wall / 1e6),
        number(1e9 / hashed.cpu),
        number(1e9 / of(ours, "cpu")),
        number(1e9 / of(theirs, "cpu")),
        number(of(ours, "cpu") / of(theirs, "cpu")),
        number(of(ours, "memory")),
      ),
    );
  }
  return isMet;
}

build();
const floor = hasNginx() ? "nginx" : "Node";
const folder = await mkdtemp(join(tmpdir(), "cadastre-bench-"));
try {
  const [data, scratch, profiles] = [
    join(folder, "data"),
    join(folder, "nginx"),
    join(folder, "profiles.json"),
  ];
  await mkdir(scratch);
  await writeFile(profiles, profilesFile);
  const settings = { CADASTRE_EXPORT_PROFILES: profiles };
  const program = programOf("../src/main");
  const service = await startWhole(program, data, Number(given.listings), serverCore, settings);
  try {
    moveToClientCore();
    const root = join(data, "exports", "parts");
    const nginx = await (floor === "nginx"
      ? startNginx(root, scratch, serverCore)
      : start("file-floor", [root], serverCore));
    try {
      console.log(
        head(
          "part, connections",
          "MB/s",
          `${floor} MB/s`,
          "ratio",
          "hashed MB/s",
          "hashed CPU s/GB",
          "CPU s/GB",
          `${floor} CPU s/GB`,
          "ratio by CPU",
          "MB of memory",
        ),
      );
      for (const size of Object.keys(sizes) as (keyof typeof sizes)[]) {
        const isMet = await compare(service, nginx, size);
        if (!isMet && given.goals === "met") process.exitCode = 1;
      }
    } finally {
      await nginx.stop();
    }
  } finally {
    await service.stop();
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
