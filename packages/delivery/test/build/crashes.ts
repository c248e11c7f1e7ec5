import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type CrashPoint, crashPoints } from "../../src/build/crash-point.ts";
import { createWorker, retain } from "../../src/index.ts";
import type { TestRegistry } from "../../src/testing/registry.ts";
import { scratchFolder } from "../support/scratch.ts";
import { spawnWorker } from "../support/spawn-worker.ts";
import {
  at,
  checkedManifest,
  contentsOf,
  endlessSource,
  meansOf,
  openRegistry,
  order,
  type Place,
} from "../support/workshop.ts";

/** True if CASES is set. Otherwise only the quick tests run. */
const thorough = process.env["CASES"] !== undefined;
const cases = Number(process.env["CASES"] ?? 1);
const seed = process.env["SEED"] === undefined ? {} : { seed: Number(process.env["SEED"]) };

const folder = scratchFolder();
let places = 0;

/** Lease of a worker that is going to die, in milliseconds. Its successor waits until it is over, by the clock of the database. */
const lease = 250;

/** Returns the manifest hashes of the same deliveries, requested in the same order and built without interruption. */
async function uninterrupted(count: number): Promise<readonly (string | undefined)[]> {
  const own = join(folder, `whole_${++places}`);
  const place = { file: `${own}.sqlite`, parts: own };
  const registry = await openRegistry(place);
  const ordered = await order(registry, place, count);
  const worker = createWorker(meansOf(registry, place));
  for (const _ of ordered) expect(await worker.work()).toMatchObject({ outcome: "complete" });
  const hashes = await hashesOf(registry, ordered);
  await registry.close();
  return hashes;
}

const hashesOf = (registry: TestRegistry, ordered: readonly { readonly id: string }[]) =>
  Promise.all(ordered.map(async ({ id }) => (await registry.deliveries.manifest(id))?.sha256));

/** Tests of workers that die, stop or come back, for the ledger of any database. */
export function crashes(
  name: string,
  placeOf: (own: string) => Omit<Place, "parts">,
  quick: readonly CrashPoint[],
): void {
  async function withPlace(
    count: number,
    use: (registry: TestRegistry, place: Place, builds: readonly string[]) => Promise<void>,
  ) {
    const own = `own_${++places}`;
    const place = { ...placeOf(own), parts: join(folder, own) } as Place;
    const registry = await openRegistry(place);
    try {
      const ordered = await order(registry, place, count);
      await use(
        registry,
        place,
        ordered.map(({ id }) => id),
      );
      expect(await hashesOf(registry, ordered)).toEqual(await uninterrupted(count));
      const needed = new Set<string>();
      for (const { id } of ordered)
        for (const { sha256 } of (await checkedManifest(registry, place, id)).parts) needed.add(sha256);
      await retain({ ledger: registry.deliveries, parts: meansOf(registry, place).parts }, at);
      expect(contentsOf(place)).toEqual({ parts: [...needed].toSorted(), staged: 0 });
    } finally {
      await registry.close();
    }
  }

  test(
    `a worker that dies at any point leaves what its successor completes, in ${name}`,
    () =>
      withPlace(1, async (_, place, builds) => {
        for (const point of thorough ? crashPoints : quick) {
          // At the second part, so that each worker has finished one.
          const time = point.includes("part") ? 2 : 1;
          const worker = spawnWorker({ place, lease, builds, crash: { point, time } });
          expect(await worker.ended, point).toBe("SIGKILL");
        }
        expect(await spawnWorker({ place, lease, builds }).ended).toBeNull();
      }),
    120_000,
  );

  test(
    `workers that die at random leave what their successor completes, in ${name}`,
    () =>
      fc.assert(
        fc.asyncProperty(fc.array(fc.nat(200), { minLength: 1, maxLength: 3 }), (deaths) =>
          withPlace(1, async (_, place, builds) => {
            for (const delay of deaths) {
              const worker = spawnWorker({ place, lease, builds, pace: 5 });
              await worker.says("after_claim");
              await setTimeout(delay);
              worker.child.kill("SIGKILL");
              await worker.ended;
            }
            expect(await spawnWorker({ place, lease, builds }).ended).toBeNull();
          }),
        ),
        { numRuns: cases, endOnFailure: true, ...seed },
      ),
    120_000 + cases * 20_000,
  );

  test.each(
    thorough
      ? (["before_part_write", "after_part_announce", "before_part_commit"] as const)
      : (["before_part_commit"] as const),
  )(
    `a worker that was stopped %s past its lease has lost, in ${name}`,
    (point) =>
      withPlace(1, async (registry, place) => {
        const zombie = spawnWorker({ place, lease, stop: point });
        expect(await zombie.says(point)).toBe(true);
        // It comes back in the middle of its successor's work.
        const back = async () => {
          zombie.child.kill("SIGCONT");
          expect(await zombie.ended).toBeNull();
        };
        let parts = 0;
        const successor = createWorker({
          ...meansOf(registry, place),
          lease: 60_000,
          at: (met) => (met === "before_part_commit" && ++parts === 1 ? back() : undefined),
        });
        await expect.poll(() => successor.work()).toMatchObject({ outcome: "complete" });
        expect(zombie.said.at(-1)).toMatch(/^lost/);
      }),
    60_000,
  );

  test(
    `a worker that is told to stop gives its delivery back at once, in ${name}`,
    () =>
      withPlace(1, async (registry, place) => {
        const stopped = spawnWorker({ place, lease: 600_000, pace: 20, stays: true });
        expect(await stopped.says("after_part_commit")).toBe(true);
        stopped.child.kill("SIGTERM");
        expect(await stopped.ended).toBeNull();
        expect(stopped.said.at(-1)).toBe("released");
        expect(contentsOf(place).staged).toBe(0);
        const successor = createWorker({ ...meansOf(registry, place), lease: 600_000 });
        expect(await successor.work()).toMatchObject({ outcome: "complete" });
      }),
    60_000,
  );

  test(
    `two workers at once build each delivery once, in ${name}`,
    () =>
      withPlace(4, async (registry, place) => {
        const other = await openRegistry(place);
        const built = await Promise.all(
          [registry, other].map(async (own, i) => {
            const source = endlessSource(70 + 60 * i);
            const worker = createWorker({
              ...meansOf(own, place, { source }),
              name: `worker ${i}`,
              lease: 60_000,
            });
            const ids: string[] = [];
            for (let work = await worker.work(); work !== undefined; work = await worker.work()) {
              expect(work.outcome).toBe("complete");
              ids.push(work.delivery);
            }
            return ids;
          }),
        );
        expect(new Set(built.flat()).size).toBe(4);
        expect(built.flat()).toHaveLength(4);
        await other.close();
      }),
    60_000,
  );
}
