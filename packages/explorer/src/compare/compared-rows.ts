import { computed, effect, signal } from "@preact/signals";
import { address } from "../address/current-address.ts";
import type { JsonObject } from "../api/json.ts";
import { collectionPath, requestPage } from "../api/odata.ts";
import { secondSet, shownColumns, shownKeyName, type shownSet } from "../query/current-query.ts";
import { filterOf, termsOf } from "../query/filter-terms.ts";
import { quoteText } from "../query/literals.ts";
import { firstRecords, secondRecords } from "../query/table-records.ts";
import { firstKey, secondKey } from "../session/api-keys.ts";
import { type ComparedRow, mergeRows } from "./merged-rows.ts";

/** Keys of one request, so that its address stays short. */
const keysOfRequest = 100;

/** Records that the page of the other key did not have, asked for by their keys under the same filter. */
const askedOfFirst = signal<ReadonlyMap<string, JsonObject | null>>(new Map());
const askedOfSecond = signal<ReadonlyMap<string, JsonObject | null>>(new Map());

const found = (asked: ReadonlyMap<string, JsonObject | null>): readonly JsonObject[] =>
  [...asked.values()].filter((record) => record !== null);

/** Rows of the table: those of the first key, or of both keys while two are compared. */
export const comparedRows = computed<readonly ComparedRow[]>(() => {
  const name = shownKeyName.value;
  if (secondKey.value === undefined) {
    return firstRecords.state.value.records.map((record) => ({
      key: String(record[name]),
      seenBy: "both",
      first: record,
      second: undefined,
    }));
  }
  const firstPage = firstRecords.state.value.records;
  const secondPage = secondRecords.state.value.records;
  const rows = mergeRows(firstPage, secondPage, name);
  const fromFirst = new Map(found(askedOfFirst.value).map((record) => [String(record[name]), record]));
  const fromSecond = new Map(found(askedOfSecond.value).map((record) => [String(record[name]), record]));
  return rows.map((row) => {
    const first = row.first ?? fromFirst.get(row.key);
    const second = row.second ?? fromSecond.get(row.key);
    const seenBy = first === undefined ? "second" : second === undefined ? "first" : "both";
    return { key: row.key, seenBy, first, second };
  });
});

/** True while it is not known of every row who sees it. */
export const isComparing = computed(
  () =>
    secondKey.value !== undefined &&
    (firstRecords.state.value.isLoading || secondRecords.state.value.isLoading || missing.value > 0),
);
const missing = signal(0);

type Side = {
  readonly asked: typeof askedOfFirst;
  readonly apiKey: string;
  readonly select: readonly string[];
};

async function ask(keys: readonly string[], side: Side, abort: AbortSignal): Promise<void> {
  const name = shownKeyName.peek();
  const { entitySet: set, filter } = address.peek();
  for (let at = 0; at < keys.length; at += keysOfRequest) {
    const some = keys.slice(at, at + keysOfRequest);
    const among = `${name} in (${some.map(quoteText).join(",")})`;
    const path = collectionPath(set, {
      $filter: filterOf([...termsOf(filter), among]),
      $select: [...new Set([name, ...side.select])].join(","),
      $top: String(keysOfRequest),
    });
    const { records } = await requestPage(path, side.apiKey, abort);
    const byKey = new Map(records.map((record) => [String(record[name]), record]));
    side.asked.value = new Map([
      ...side.asked.peek(),
      ...some.map((key) => [key, byKey.get(key) ?? null] as const),
    ]);
  }
}

const identityOf = (): string =>
  JSON.stringify([
    firstKey.value?.name,
    secondKey.value?.name,
    address.value.filter,
    shownColumns.value.map(({ name }) => name),
  ]);

let identity = "";

/** Asks each key for the records that only the other one has on its pages: it may see them further on. */
effect(() => {
  const [first, second] = [firstKey.value, secondKey.value];
  const now = identityOf();
  if (now !== identity) {
    identity = now;
    askedOfFirst.value = new Map();
    askedOfSecond.value = new Map();
  }
  const a = firstRecords.state.value;
  const b = secondRecords.state.value;
  missing.value = 0;
  if (first === undefined || second === undefined || a.isLoading || b.isLoading) return undefined;
  const name = shownKeyName.value;
  const names = shownColumns.value.map((column) => column.name);
  const seenBy = (set: typeof shownSet.value) => names.filter((one) => set?.type.properties.has(one));
  const keys = (records: readonly JsonObject[]) => records.map((record) => String(record[name]));
  const lacking = (of: readonly JsonObject[], page: readonly JsonObject[], asked: Side["asked"]) => {
    const known = new Set([...keys(page), ...asked.peek().keys()]);
    return keys(of).filter((key) => !known.has(key));
  };
  const ofSecond = b.isComplete || b.error ? [] : lacking(a.records, b.records, askedOfSecond);
  const ofFirst = a.isComplete || a.error ? [] : lacking(b.records, a.records, askedOfFirst);
  if (ofFirst.length + ofSecond.length === 0) return undefined;
  const controller = new AbortController();
  const sides = [
    ask(
      ofSecond,
      { asked: askedOfSecond, apiKey: second.apiKey, select: seenBy(secondSet.value) },
      controller.signal,
    ),
    ask(ofFirst, { asked: askedOfFirst, apiKey: first.apiKey, select: names }, controller.signal),
  ];
  missing.value = ofFirst.length + ofSecond.length;
  void Promise.allSettled(sides).then(() => {
    if (!controller.signal.aborted) missing.value = 0;
  });
  return () => controller.abort();
});
