import type { RestrictedQuery } from "@cadastre/entitlement";
import { compareRows, evaluate, matches, type Projection, type Row } from "@cadastre/odata";
import { type AppliedQuery, evaluateApply, evaluatedRecords } from "@cadastre/odata/apply";
import { codecOf } from "@cadastre/odata/run";
import {
  type Change,
  type ReadOptions,
  type Store,
  type StoredRecord,
  StoreError,
  type WritableStore,
} from "@cadastre/store";
import { compareCodePoints } from "@cadastre/store/changes";
import { keyOf, type ResourceName } from "./universe.ts";

/** A store that records can be written to. */
export type FilledStore = Store &
  Pick<WritableStore, "commit"> & { readonly builds: Pick<WritableStore["builds"], "publish"> };

/** Number of past states that are kept. */
const keptStates = 100;

/** Opens a store of plain records that evaluates the restricted query with `evaluate` only. It keeps its last states as they were. */
export function openMemoryStore(): FilledStore {
  const records = new Map<string, StoredRecord>();
  const states = new Map<number, ReadonlyMap<string, StoredRecord>>([[0, new Map()]]);
  let checkpoint = 0;
  const identityOf = (resource: string, key: unknown) => `${resource}/${String(key)}`;

  const stateAt = (at: number) => {
    const state = states.get(at);
    if (state === undefined) throw new StoreError("bookmark_expired");
    return state;
  };

  /** Returns the records of a state; with another checkpoint, only those whose version the state there does not have. */
  const recordsOf = ({ asOf, since, until }: Pick<ReadOptions, "asOf" | "since" | "until">) => {
    const state = asOf === undefined ? records : stateAt(asOf);
    const other = since ?? until;
    const compared = other === undefined ? undefined : stateAt(other);
    return [...state].flatMap(([identity, record]) => (compared?.get(identity) === record ? [] : [record]));
  };

  const allRowsOf = (name: string, options: ReadOptions = {}): Row[] =>
    recordsOf(options)
      .filter(({ resource }) => resource === name)
      .map(({ record, hidden, datasetId }) => ({ ...record, ...hidden, DatasetId: datasetId }));
  const rowsOf = ({ entitySet: { name }, filter }: RestrictedQuery, options: ReadOptions = {}): Row[] =>
    allRowsOf(name, options).filter((row) => matches(filter, row));

  const page: Store["page"] = async (query, options = {}) => {
    const { from, asOf, count = false, nulls = true, lines = false } = options;
    const key = keyOf(query.entitySet.name as ResourceName);
    const matching = rowsOf(query, options);
    const ordered = matching.toSorted((a, b) => compareRows(query.orderBy, a, b));
    const start = from === undefined ? query.skip : ordered.findIndex((row) => row[key] === from.key[0]) + 1;
    const rows = ordered.slice(start, start + query.top);
    const isLast = query.top === 0 || start + rows.length >= ordered.length;
    const last = rows.slice(-1).map((row) => row[key]);
    const bookmark = { checkpoint: from?.checkpoint ?? asOf ?? checkpoint, key: last };
    const texts = rows.map((row) => recordText(row, query.select, nulls));
    return {
      records: Buffer.from(lines ? texts.map((text) => `${text}\n`).join("") : texts.join()),
      keys: rows.map((row) => row[key]),
      length: rows.length,
      last,
      checkpoint: bookmark.checkpoint,
      next: isLast ? null : bookmark,
      ...(count ? { count: matching.length } : {}),
    };
  };

  const changes: Store["changes"] = async (query, { since, until, nulls, elsewhere }) => {
    const asOf = until?.checkpoint ?? checkpoint;
    const key = keyOf(query.entitySet.name as ResourceName);
    const textsOf = (state: Pick<ReadOptions, "asOf" | "since" | "until">) =>
      new Map(
        rowsOf(query, state).map((row) => [String(row[key]), recordText(row, query.select, nulls ?? true)]),
      );
    const were = textsOf({ asOf: since.checkpoint, until: asOf });
    const are = textsOf({ asOf, since: since.checkpoint });
    const all = [...new Set([...were.keys(), ...are.keys()])]
      .filter((one) => were.get(one) !== are.get(one))
      .toSorted(compareCodePoints);
    const told = all.slice(0, query.top);
    const present = elsewhere === undefined ? [] : rowsOf(elsewhere);
    return {
      records: Buffer.from(told.flatMap((one) => are.get(one) ?? []).join()),
      keys: told.filter((one) => are.has(one)),
      removed: told
        .filter((one) => !are.has(one))
        .map((one) => ({ key: one, isElsewhere: present.some((row) => row[key] === one) })),
      until: until ?? { checkpoint, time: 0 },
      last: told.at(-1),
      more: all.length > told.length,
      read: undefined,
    };
  };

  const apply = (change: Change): void => {
    if ("removed" in change) records.delete(identityOf(change.resource, change.removed[0]));
    else {
      const key = change.record[keyOf(change.resource as ResourceName)];
      records.set(identityOf(change.resource, key), change);
    }
  };

  return {
    page,
    changes,
    count: async (query) => rowsOf(query).length,
    cells: async (query, cellsPerUnit) => {
      const counts = new Map<string, number>();
      for (const row of rowsOf(query)) {
        const place = query.select.map(({ expression }) => evaluate(expression, row) ?? null);
        if (place.includes(null)) continue;
        const cell = place
          .map((degrees) => Math.floor(Number((Number(degrees) * cellsPerUnit).toFixed(6))))
          .join();
        counts.set(cell, (counts.get(cell) ?? 0) + 1);
      }
      const cells = [...counts].flatMap(([cell, count]) => [...cell.split(",").map(Number), count]);
      return { checkpoint, cells: Int32Array.from(cells) };
    },
    apply: async ({ applied }, { from, count = false, form }) => {
      const { query } = applied;
      const found = appliedRows(applied, allRowsOf(applied.apply.entitySet.name));
      // A position is the number of rows before it.
      const start = from === undefined ? query.skip : Number(from[0]);
      const rows = found.slice(start, start + query.top);
      const end = start + rows.length;
      return {
        records: evaluatedRecords(rows, applied, form),
        next: query.top === 0 || end >= found.length ? null : [end],
        ...(count ? { count: found.length } : {}),
      };
    },
    countApplied: async ({ applied }) => appliedRows(applied, allRowsOf(applied.apply.entitySet.name)).length,
    one: async (query, options) => {
      const { length, records: found } = await page(query, options);
      return length === 0 ? undefined : found;
    },
    // Has no builds, and thus no coverage.
    coverage: async () => undefined,
    builds: { publish: async () => ({ published: false, verdicts: {} }) },
    checkpoint: async () => checkpoint,
    committedAt: async (at) => (states.has(at) ? 0 : undefined),
    stateAt: async () => ({ checkpoint, earliest: checkpoint - keptStates + 1 }),
    close: async () => {},
    commit: async (changes) => {
      for await (const change of changes) apply(change);
      states.set(++checkpoint, new Map(records));
      states.delete(checkpoint - keptStates);
      return { checkpoint, written: 0, unchanged: 0, removed: 0 };
    },
  };
}

/** Returns all rows of the result of `$apply`, in the order of the query. */
const appliedRows = ({ apply, query }: AppliedQuery, rows: readonly Row[]): readonly Row[] =>
  evaluateApply(apply, rows)
    .filter((row) => matches(query.filter, row))
    .toSorted((a, b) => compareRows(query.orderBy, a, b));

function recordText(row: Row, select: readonly Projection[], nulls: boolean): string {
  const members = select.map(({ property, expression }): [string, unknown] => {
    const value = evaluate(expression, row);
    return [property.name, jsonOf(value ?? (property.collection ? [] : null), property)];
  });
  return JSON.stringify(Object.fromEntries(members.filter(([, value]) => nulls || value !== null)));
}

function jsonOf(value: unknown, property: Projection["property"]): unknown {
  if (value === null) return null;
  const codec = codecOf(property.type);
  return Array.isArray(value) ? value.map((item: unknown) => codec.toJson(item)) : codec.toJson(value);
}
