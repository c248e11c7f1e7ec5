import { afterAll, beforeAll, expect, test } from "vitest";
import { databasesOf } from "../../src/data/databases.ts";
import { commitTo } from "../support/commit.ts";
import { customerOf, readLines, refusal } from "../support/deliveries.ts";
import { removalsOf } from "../support/removals.ts";
import { type Running, run } from "../support/running.ts";

let running: Running;
beforeAll(async () => {
  running = await run({ CADASTRE_LISTINGS: "60" });
});
afterAll(() => running.stop());

/** Returns the keys of the listings of an export, and its window. */
async function exported(body: Readonly<Record<string, unknown>>) {
  const asks = customerOf(running, "national");
  const id = await asks.complete({ domain: "listing", ...body });
  const { data, rows } = await readLines<{ readonly ListingKey: string }>(asks, id);
  const keys = rows.get("listing")?.map((row) => row.ListingKey) ?? [];
  return { keys, window: data.window };
}

test("an earlier state is exported by its time or a checkpoint, as long as it is kept", async () => {
  const { create } = customerOf(running, "national");
  const before = await exported({});
  const asOf = new Date().toISOString();
  const [first = ""] = before.keys;
  await commitTo(running, removalsOf("Property", first));
  const after = await exported({});
  expect(after.keys).toEqual(before.keys.slice(1));

  const past = await exported({ asOf });
  expect(past.keys).toEqual(before.keys);
  expect(past.window.asOf).toBe(asOf);
  const named = await exported({ asOf: before.window.toCheckpoint });
  expect(named.keys).toEqual(before.keys);
  expect(named.window.asOf).toBe(before.window.asOf);
  // An export of an earlier state names that state too.
  const again = await exported({ asOf: past.window.toCheckpoint, filter: `ListingKey eq '${first}'` });
  expect([again.keys, again.window.asOf]).toEqual([[first], asOf]);

  for (const wrong of ["", "yesterday", "2026-11-21", "2026-13-41T00:00:00Z", "9999-01-01T00:00:00Z", "c1:1"])
    expect([wrong, refusal(await create({ asOf: wrong }))]).toEqual([wrong, [400, "invalid_as_of"]]);
  const foreign = await customerOf(running, "market").create({ asOf: before.window.toCheckpoint });
  expect(refusal(foreign)).toEqual([400, "invalid_as_of"]);
  expect(refusal(await create({ asOf: "2001-01-01T00:00:00Z" }))).toEqual([410, "as_of_expired"]);
  const keyed = { idempotencyKey: "past", asOf };
  expect((await create(keyed)).status).toBe(202);
  expect(refusal(await create({ ...keyed, asOf: undefined }))).toEqual([409, "idempotency_conflict"]);
  expect((await create(keyed)).headers["idempotency-replayed"]).toBe("true");

  const store = await databasesOf(running.folder).openListings({ threads: 0 });
  await store.prune(Date.now() + 60_000);
  await store.close();
  for (const gone of [asOf, before.window.toCheckpoint])
    expect(refusal(await create({ asOf: gone }))).toEqual([410, "as_of_expired"]);
});
