import type { JsonObject } from "../api/json.ts";

/** Who sees a record of the query. */
export type SeenBy = "both" | "first" | "second";

/** A record of the query under one key or two. */
export type ComparedRow = {
  readonly key: string;
  readonly seenBy: SeenBy;
  readonly first: JsonObject | undefined;
  readonly second: JsonObject | undefined;
};

const keyOf = (record: JsonObject, keyName: string): string => String(record[keyName]);

/**
 * Merges two lists of records, each in its own order: those of the second list that the first one lacks follow the record that they follow
 * in the second list.
 */
export function mergeRows(
  first: readonly JsonObject[],
  second: readonly JsonObject[],
  keyName: string,
): readonly ComparedRow[] {
  const inSecond = new Map(second.map((record) => [keyOf(record, keyName), record]));
  const inFirst = new Set(first.map((record) => keyOf(record, keyName)));
  const followers = new Map<string, ComparedRow[]>();
  let before = "";
  for (const record of second) {
    const key = keyOf(record, keyName);
    if (inFirst.has(key)) before = key;
    else {
      const row: ComparedRow = { key, seenBy: "second", first: undefined, second: record };
      followers.set(before, [...(followers.get(before) ?? []), row]);
    }
  }
  const rows = first.flatMap((record): readonly ComparedRow[] => {
    const key = keyOf(record, keyName);
    const other = inSecond.get(key);
    const row: ComparedRow = {
      key,
      seenBy: other === undefined ? "first" : "both",
      first: record,
      second: other,
    };
    return [row, ...(followers.get(key) ?? [])];
  });
  return [...(followers.get("") ?? []), ...rows];
}

/** True if two keys see different values of a field. A field that one does not see differs if the other has a value. */
export function differs(row: ComparedRow, name: string): boolean {
  if (row.seenBy !== "both") return false;
  const [a, b] = [row.first?.[name] ?? null, row.second?.[name] ?? null];
  return a !== b && JSON.stringify(a) !== JSON.stringify(b);
}
