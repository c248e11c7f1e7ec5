/*
 * CPU time of reading a canonical property, compared with reading one of its listings by key.
 *
 *   node --conditions=@cadastre/source --import tsx packages/service/bench/property.ts [--listings 20000] [--rounds 5]
 *
 * The server is pinned to one core, the client runs on the other, and figures are medians of rounds.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generateMarket } from "@cadastre/sample";
import { provisionalIdRow } from "../src/identity/provisional-id.ts";
import { build } from "./build.ts";
import { bodyOf } from "./client.ts";
import { measure } from "./measure.ts";
import { moveToClientCore } from "./processes.ts";
import { collection, type Query } from "./queries.ts";
import { settingsOf } from "./settings.ts";
import { startDictionary } from "./subjects.ts";
import { head, line, number } from "./table.ts";

const given = settingsOf({ listings: "20000", rounds: "5", warm: "6", seconds: "1.5" });
const listings = Number(given.listings);
const method = {
  rounds: Number(given.rounds),
  warm: Number(given.warm),
  seconds: Number(given.seconds),
  pages: 0,
};

/** Number of listings to read. */
const asked = 500;

/** Yields the key of each listing with a Placekey, and the two ids of its property. */
function* idsOf(): Generator<{
  readonly key: string;
  readonly placekey: string;
  readonly provisional: string;
}> {
  for (const { datasetId, property } of generateMarket({ seed: 1, listings }).listingsWithMedia()) {
    const { ListingKey, Placekey } = property;
    if (typeof ListingKey !== "string" || typeof Placekey !== "string") continue;
    const [provisional] = Object.values(provisionalIdRow(datasetId, property));
    yield { key: ListingKey, placekey: Placekey, provisional: String(provisional) };
  }
}

const ids = [...idsOf()].slice(0, asked);
const some = (turn: number) => ids[(turn * 7919) % ids.length] ?? { key: "", placekey: "", provisional: "" };
const reads: readonly (readonly [string, (turn: number) => string])[] = [
  ["one listing, 946 fields", (turn) => `${collection}('${some(turn).key}')`],
  ["one listing, without nulls", (turn) => `${collection}('${some(turn).key}')?$ignorenulls=true`],
  ["a property, by Placekey", (turn) => `/v1/properties/${encodeURIComponent(some(turn).placekey)}`],
  ["a property, by its old id", (turn) => `/v1/properties/${some(turn).provisional}`],
];

build();
moveToClientCore();
const folder = await mkdtemp(join(tmpdir(), "cadastre-bench-"));
const subjects = await startDictionary(join(folder, "dictionary.sqlite"), listings);
try {
  const [whole] = subjects;
  if (whole === undefined) throw new RangeError("there is no subject");
  console.log(head("read", "CPU ms", "a second", "bytes", "÷ one listing"));
  let one = Number.NaN;
  for (const [name, service] of reads) {
    // Makes sure that the reads succeed: a 404 would cost less.
    for (const turn of [0, 1, 2]) JSON.parse((await bodyOf(whole.client, service(turn))).toString());
    const query: Query = { name, floor: () => "", service };
    const [cost] = await measure([whole], query, method);
    if (cost === undefined) continue;
    if (Number.isNaN(one)) one = cost.cpu;
    console.log(line(name, number(cost.cpu), number(cost.rate), number(cost.bytes), number(cost.cpu / one)));
  }
} finally {
  for (const { stop } of new Set(subjects)) await stop();
  await rm(folder, { recursive: true, force: true });
}
