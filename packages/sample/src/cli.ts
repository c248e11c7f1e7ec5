#!/usr/bin/env node
import { once } from "node:events";
import { createWriteStream, mkdirSync } from "node:fs";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { parseArgs } from "node:util";
import { generateMarket, type SampleResource, sampleResources } from "./market.ts";

/** Number of characters that are buffered before a write. */
const chunkSize = 1 << 18;

/** Writes lines to a stream in chunks, and buffers at most one chunk. */
class LineWriter {
  readonly #stream: NodeJS.WritableStream;
  #chunk = "";

  constructor(stream: NodeJS.WritableStream) {
    this.#stream = stream;
  }

  /** Writes a line. Returns a promise if the stream is full (backpressure). */
  write(line: string): Promise<unknown> | undefined {
    this.#chunk += `${line}\n`;
    return this.#chunk.length < chunkSize ? undefined : this.flush();
  }

  flush(): Promise<unknown> | undefined {
    const chunk = this.#chunk;
    this.#chunk = "";
    return this.#stream.write(chunk) ? undefined : once(this.#stream, "drain");
  }
}

const { values } = parseArgs({
  options: {
    listings: { type: "string", default: "1000" },
    seed: { type: "string", default: "1" },
    out: { type: "string", default: "-" },
  },
});
const market = generateMarket({ seed: Number(values.seed), listings: Number(values.listings) });

async function writeFolder(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const streams = sampleResources.map((resource) => createWriteStream(join(folder, `${resource}.jsonl`)));
  const writers = new Map<SampleResource, LineWriter>(
    sampleResources.map((resource, k) => [resource, new LineWriter(streams[k] as NodeJS.WritableStream)]),
  );
  for (const { resource, record } of market.allRows()) {
    const full = writers.get(resource)?.write(JSON.stringify(record));
    if (full !== undefined) await full;
  }
  for (const writer of writers.values()) await writer.flush();
  for (const stream of streams) stream.end();
  await Promise.all(streams.map((stream) => finished(stream)));
}

async function writeLines(): Promise<void> {
  const writer = new LineWriter(process.stdout);
  for (const row of market.allRows()) {
    const full = writer.write(JSON.stringify(row));
    if (full !== undefined) await full;
  }
  await writer.flush();
}

const started = performance.now();
if (values.out === "-") await writeLines();
else await writeFolder(values.out);
const seconds = (performance.now() - started) / 1000;
console.error(
  `${market.listings} listings in ${seconds.toFixed(1)} s, peak memory ${Math.round(process.resourceUsage().maxRSS / 1024)} MB`,
);
