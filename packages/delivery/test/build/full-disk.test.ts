import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scratchFolder } from "../support/scratch.ts";
import { spawnWorker } from "../support/spawn-worker.ts";
import { contentsOf, customer, largeParts, openRegistry, order } from "../support/workshop.ts";

const folder = scratchFolder();

const place = { file: join(folder, "registry.sqlite"), parts: folder };
/** So that there are parts of the size that the profile names. */
const times = 30;

test("a disk that takes no more is said, and nothing is half there", async () => {
  const registry = await openRegistry(place);
  const [delivery] = await order(registry, place, 1, largeParts);
  // More than the ledger takes, and less than a part.
  const worker = spawnWorker({ place, lease: 60_000, attempts: 2, times }, 4096);
  expect(await worker.ended).toBeNull();
  const outcomes = worker.said.filter((line) => line.includes("parts_full"));
  expect(outcomes).toEqual(["queued parts_full", "failed parts_full"]);
  const failed = { state: "failed", code: "parts_full" };
  expect(await registry.deliveries.find(customer, delivery?.id ?? "")).toMatchObject(failed);
  expect(contentsOf(place)).toEqual({ parts: [], staged: 0 });
  await registry.close();
}, 60_000);

/** Where nobody makes a folder, whoever he is. */
const unwritable = "/sys/kernel";

test.each<[string, (place: string) => string]>([
  ["a folder", () => join(unwritable, "exports")],
  [
    "a folder of finished parts",
    (place) => {
      symlinkSync(unwritable, join(place, "parts"));
      return place;
    },
  ],
])(
  "%s that cannot be written is said, and nothing is half there",
  async (_, partsIn) => {
    const scratch = mkdtempSync(join(folder, "unwritable-"));
    const unwritten = { file: join(scratch, "registry.sqlite"), parts: partsIn(scratch) };
    const registry = await openRegistry(unwritten);
    const [delivery] = await order(registry, unwritten);
    const worker = spawnWorker({ place: unwritten, lease: 60_000, attempts: 2 });
    expect(await worker.ended).toBeNull();
    const outcomes = worker.said.filter((line) => line.includes(" "));
    expect(outcomes).toEqual(["queued parts_not_writable", "failed parts_not_writable"]);
    const failed = { state: "failed", code: "parts_not_writable" };
    const { id = "" } = delivery ?? {};
    expect(await registry.deliveries.find(customer, id)).toMatchObject(failed);
    expect(await registry.deliveries.parts(id)).toEqual([]);
    expect(await registry.deliveries.manifest(id)).toBeUndefined();
    rmSync(join(scratch, "parts"), { force: true });
    expect(contentsOf(unwritten)).toEqual({ parts: [], staged: 0 });
    await registry.close();
  },
  60_000,
);
