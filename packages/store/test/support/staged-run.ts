import type { Build, Change, WritableStore } from "../../src/index.ts";
import { texas } from "./listings.ts";

const resource = "Property";
const [publications, batches, size] = [3, 3, 700];

/**
 * Point at which a run kills itself: at a change of a batch, or in the check of a publication, when everything is written but not
 * committed.
 */
export type Fault = { readonly batch?: number; readonly change?: number; readonly publication?: number };

type Batch = { readonly number: number; readonly changes: readonly Change[]; readonly isLast: boolean };

/** Yields three publications of three batches each. Every batch replaces and deletes some of the earlier records. */
export function* batchesOf(): Generator<Batch> {
  for (let number = 1; number <= publications * batches; number++) {
    const changes = Array.from({ length: size }, (_, i): Change => {
      const key = String((i * 7 + number * 311) % 1500);
      if ((i + number) % 11 === 0) return { resource, datasetId: texas, removed: [key] };
      const ModificationTimestamp = "2024-05-01T10:00:00.000Z";
      return {
        resource,
        datasetId: texas,
        record: { ListingKey: key, ModificationTimestamp, City: `${number}` },
      };
    });
    yield { number, changes, isLast: number % batches === 0 };
  }
}

/** Continues from the source's cursor, and publishes after every third batch. */
export async function run(store: WritableStore, all: Iterable<Batch>, fault: Fault = {}): Promise<void> {
  const { builds } = store;
  for (const { number, changes, isLast } of all) {
    const before = number === 1 ? null : String(number - 1);
    const at = await builds.cursor(resource, "mls");
    if (Number(at ?? 0) < number) {
      const dying = number === fault.batch ? dieAfter(changes, fault.change ?? 0) : changes;
      await builds.stage(resource, "mls", dying, { after: before, cursor: String(number) });
    }
    if (!isLast || Number((await builds.current(resource))?.cursors["mls"] ?? 0) >= number) continue;
    await builds.publish([resource], () => {
      if (number === (fault.publication ?? 0) * batches) process.kill(process.pid, "SIGKILL");
      return { passed: true, evidence: number };
    });
  }
}

function* dieAfter(changes: readonly Change[], count: number): Generator<Change> {
  for (const [i, change] of changes.entries()) {
    if (i === count) process.kill(process.pid, "SIGKILL");
    yield change;
  }
}

/** Returns the parts of the builds that are equal in every run. */
export const outcomeOf = async ({ builds }: WritableStore): Promise<readonly Partial<Build>[]> =>
  (await builds.list(resource)).map(({ checkpoint, records, sha256, cursors, evidence }) => ({
    checkpoint,
    records,
    sha256,
    cursors,
    evidence,
  }));
