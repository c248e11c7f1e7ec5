/*
 * CPU time of the first searches after a start, beside the floor's: prints a table.
 *
 *   node --conditions=@cadastre/source --import tsx packages/service/bench/first-requests.ts [--listings 10000] [--slices 500,1000,1000,2000] [--rounds 3]
 *
 * Each round starts both servers anew, and asks each for the slices of requests one after another.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "./build.ts";
import { connect } from "./client.ts";
import { drive } from "./drive.ts";
import { load, moveToClientCore, start } from "./processes.ts";
import { search } from "./queries.ts";
import { settingsOf } from "./settings.ts";
import { concurrency } from "./subjects.ts";
import { head, line, median, number } from "./table.ts";

const given = settingsOf({ listings: "10000", slices: "500,1000,1000,2000", rounds: "3" });
const [listings, rounds] = [Number(given.listings), Number(given.rounds)];
const slices = given.slices.split(",").map(Number);

/** Starts a server, and returns the CPU time of a request in each slice, in milliseconds. */
async function costsOf(
  program: "serve" | "floor",
  args: readonly string[],
  pathOf: typeof search.service,
): Promise<readonly number[]> {
  const running = await start(program, args);
  const client = connect(running, concurrency, running.keys.all);
  try {
    const costs: number[] = [];
    let first = 0;
    for (const times of slices) {
      const from = first;
      const asked = (turn: number) => pathOf(from + turn, listings);
      costs.push((await drive({ client, pid: running.pid }, asked, { times, concurrency })).cpu);
      first += times;
    }
    return costs;
  } finally {
    client.close();
    await running.stop();
  }
}

build();
moveToClientCore();
const folder = await mkdtemp(join(tmpdir(), "cadastre-bench-"));
try {
  const files = { listings: join(folder, "listings.sqlite"), floor: join(folder, "floor.sqlite") };
  for (const [choice, file] of Object.entries(files)) await load(choice, file, listings);
  const costs: (readonly number[])[][] = [[], []];
  for (let round = 0; round < rounds; round++) {
    costs[0]?.push(await costsOf("serve", ["listings", files.listings, folder], search.service));
    costs[1]?.push(await costsOf("floor", ["json", files.floor], search.floor));
  }
  console.log(head("requests after a start", "service, CPU ms", "floor", "÷ floor"));
  let first = 0;
  for (const [i, times] of slices.entries()) {
    const [own = 0, floor = 0] = costs.map((of) => median(of.map((round) => round[i] ?? 0)));
    console.log(line(`${first} to ${first + times}`, number(own), number(floor), number(own / floor)));
    first += times;
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
