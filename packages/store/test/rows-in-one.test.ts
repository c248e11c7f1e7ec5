import Database from "better-sqlite3";
import { expect, test } from "vitest";
import type { RecordRow } from "../src/sqlite/read/record-row.ts";
import { type JoinedRows, rowsInOne, separateRows } from "../src/sqlite/read/rows-in-one.ts";

/** Rows of a table, as rows and joined. */
function bothWays(values: readonly (readonly unknown[])[], limit = 1000) {
  const database = new Database(":memory:");
  try {
    database.exec("create table listing (dataset integer, record, members, checksum integer, record_key)");
    const insert = database.prepare("insert into listing values (?, ?, ?, ?, ?)");
    for (const row of values) insert.run(...row);
    const text = `select dataset, cast(record as blob), members, checksum, record_key, 1 from listing order by record_key desc limit ${limit}`;
    const rowsOf = (statement: string) => database.prepare(statement).raw().safeIntegers();
    const plain = rowsOf(text).all() as RecordRow[];
    const joined = separateRows(rowsOf(rowsInOne(text, 6)).get() as unknown as JoinedRows);
    return { plain: plain.map(told), joined: joined?.map(told) };
  } finally {
    database.close();
  }
}

const told = ([dataset, text, members, checksum, key]: RecordRow) => [
  dataset,
  Buffer.from(text).toString("latin1"),
  members,
  Number(checksum),
  key,
];

test("rows that are read as one are the same, in their order", () => {
  const values = [
    [1, '{"a":"é 🏠"}', "AK", 12, "b c"],
    [null, "{}", "", null, "a"],
    [9_007_199_254_740_993n, '{"b":1}', "BHCI", 4_294_967_295, ""],
    [2, "x\0y", "`a", 0, "Ž"],
  ];
  for (const limit of [1000, 2, 1]) {
    const { plain, joined } = bothWays(values, limit);
    expect(joined).toEqual(plain);
    expect(joined).toHaveLength(Math.min(limit, values.length));
  }
});

test("no rows are no rows", () => expect(bothWays([]).joined).toEqual([]));

test.each([
  ["a key that is no text", [1, "{}", "", 1, 5]],
  ["a key with U+0000", [1, "{}", "", 1, "a\0b"]],
  ["a damaged member index", [1, "{}", "A K", 1, "a"]],
])("%s is not read so", (_, row) => {
  expect(bothWays([[1, "{}", "", 1, "z"], row]).joined).toBeUndefined();
});
