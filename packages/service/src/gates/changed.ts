import type { BoundNode, EntitySet } from "@cadastre/odata";
import type { CandidateRecord } from "@cadastre/store";
import { hasKeyOf, keyProperty } from "../ingest/candidate-query.ts";
import type { Trial } from "./gate.ts";

/** Maximum number of keys in one query. */
const groupSize = 500;

/** Records that a gate must check, as a filter. Undefined for all records. */
export type RecordsToCheck = {
  readonly filter: BoundNode | undefined;
  /** Keys of the records. Empty if all records are checked. */
  readonly keys: readonly string[];
};

/**
 * Yields the records that a gate must check: all of them, or, if the serving build has passed the gate, groups of those that the
 * publication adds or changes.
 */
export async function* recordsToCheck(
  gate: string,
  { entitySet, candidate, passedBefore }: Pick<Trial, "entitySet" | "candidate" | "passedBefore">,
): AsyncGenerator<RecordsToCheck> {
  if (!passedBefore.has(gate)) {
    yield { filter: undefined, keys: [] };
    return;
  }
  for await (const keys of keysOf(entitySet, candidate.changed()))
    yield { filter: hasKeyOf(entitySet, keys), keys };
}

/** Yields the keys of records in groups. */
export async function* keysOf(
  entitySet: EntitySet,
  records: AsyncIterable<CandidateRecord>,
): AsyncGenerator<readonly string[]> {
  const { name } = keyProperty(entitySet);
  let keys: string[] = [];
  for await (const { text } of records) {
    const record = JSON.parse(text) as Readonly<Record<string, unknown>>;
    if (keys.push(String(record[name])) < groupSize) continue;
    yield keys;
    keys = [];
  }
  if (keys.length > 0) yield keys;
}
