/*
 * Cost of the answer to a delta link against a page of as many records: the HTTP service, by the number of listings.
 *
 *   node --conditions=@cadastre/source --import ./scripts/source.mjs packages/service/bench/delta-links.ts [--sizes 10000,1000000] [--changes 100] [--rounds 5] [--warm 3] [--seconds 1.5] [--database SQLite|PostgreSQL]
 *
 * The changed listings are spread over all of them, in one commit. Of each ten, two have left the filter.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StoredRecord } from "@cadastre/store";
import { build } from "./build.ts";
import { bodyOf, type Client, connect } from "./client.ts";
import { type Cost, drive } from "./drive.ts";
import { startBenchPostgres } from "./postgres-server.ts";
import { load, moveToClientCore, start } from "./processes.ts";
import { recordsOf } from "./records.ts";
import { resources } from "./resources.ts";
import { settingsOf } from "./settings.ts";
import { fillStore } from "./store.ts";
import { head, line, median, number } from "./table.ts";

const given = settingsOf({
  sizes: "10000,1000000",
  changes: "100",
  rounds: "5",
  warm: "3",
  seconds: "1.5",
  database: "SQLite",
});
const [changes, rounds, warm, seconds] = [given.changes, given.rounds, given.warm, given.seconds].map(
  Number,
) as [number, number, number, number];

const property = "/reso/odata/Property";
const filter = "$filter=ListPrice%20ge%200";

/** Yields changed listings, evenly spread. */
function* edits(listings: number): Generator<StoredRecord> {
  const step = Math.floor(listings / changes);
  let [nth, made] = [0, 0];
  for (const one of recordsOf("listings", listings)) {
    if (nth++ % step !== 0 || made === changes) continue;
    const ListPrice = made++ % 10 < 2 ? -1 : 123_456 + made;
    yield { ...one, record: { ...one.record, ListPrice } };
  }
}

const lastLink = (body: Buffer): string => {
  const { "@odata.deltaLink": link } = JSON.parse(body.toString()) as {
    readonly "@odata.deltaLink"?: string;
  };
  if (link === undefined) throw new Error("there is no delta link");
  return link.replace(/^https?:\/\/[^/]+/, "");
};

/** Measures requests one after the other; rounds alternate between the paths. */
async function measureAll(
  pid: number,
  database: number | undefined,
  client: Client,
  paths: readonly string[],
): Promise<readonly Pick<Cost, "cpu" | "rate">[]> {
  const costs: Cost[][] = paths.map(() => []);
  for (let round = -1; round < rounds; round++)
    for (const [i, path] of paths.entries()) {
      const cost = await drive({ pid, database, client }, () => path, {
        seconds: round < 0 ? warm : seconds,
        concurrency: 1,
      });
      if (round >= 0) costs[i]?.push(cost);
    }
  return costs.map((all) => ({
    cpu: median(all.map(({ cpu }) => cpu)),
    rate: median(all.map(({ rate }) => rate)),
  }));
}

build();
moveToClientCore();
console.log(head("listings", "answer", "CPU, ms", "time, ms", "CPU, ratio", "time, ratio"));
for (const listings of given.sizes.split(",").map(Number)) {
  const folder = await mkdtemp(join(tmpdir(), "cadastre-bench-"));
  const server = given.database === "PostgreSQL" ? await startBenchPostgres() : undefined;
  const database = server?.url ?? join(folder, "listings.sqlite");
  await load("listings", database, listings);
  await server?.settle(database);
  const running = await start("serve", ["listings", database, folder]);
  const client = connect(
    running,
    1,
    running.keys.all,
    { prefer: `track-changes, maxpagesize=${changes}` },
    "retry",
  );
  const delta = lastLink(await bodyOf(client, `${property}?${filter}&$top=0`));
  await fillStore(database, resources.listings, edits(listings));
  const { value } = JSON.parse((await bodyOf(client, delta)).toString()) as {
    readonly value: readonly unknown[];
  };
  if (value.length !== changes) throw new Error(`the delta has ${value.length} changes`);
  const paths = [`${property}?${filter}&$top=${changes}`, delta];
  const [page, changed] = await measureAll(running.pid, server?.pid, client, paths);
  for (const [name, cost] of [
    ["page", page],
    ["delta", changed],
  ] as const)
    if (cost !== undefined && page !== undefined)
      console.log(
        line(
          String(listings),
          name,
          number(cost.cpu),
          number(1000 / cost.rate),
          number(cost.cpu / page.cpu),
          number(page.rate / cost.rate),
        ),
      );
  client.close();
  await running.stop();
  await server?.stop();
  await rm(folder, { recursive: true });
}
