import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { KnownCounts } from "../src/sqlite/read/known-counts.ts";

let folder: string;
let file: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "cadastre-counts-"));
  file = join(folder, "numbers.sqlite");
});
afterAll(() => rm(folder, { recursive: true }));

const values = fc.constantFrom<number | string | bigint | null | Buffer>(1, "1", 1n, null, Buffer.from("1"));
const steps = fc.array(
  fc.oneof(
    fc.record({ write: values }),
    fc.record({ count: values, isSnapshotKept: fc.boolean() }),
    fc.constant({ vacuum: true }),
  ),
  { maxLength: 40 },
);

it("a count is what the statement finds in its transaction, whatever was written since it was counted before", () => {
  fc.assert(
    fc.property(steps, (all) => {
      const writer = new Database(file);
      writer.pragma("journal_mode = wal");
      writer.exec("drop table if exists numbers; create table numbers (number)");
      const reader = new Database(file, { readonly: true });
      const counts = new KnownCounts(reader);
      const text = "select count(*) from numbers where number is ?";
      const fresh = (value: unknown) => reader.prepare(text).pluck().get(value) as number;
      for (const step of all) {
        if ("write" in step) writer.prepare("insert into numbers values (?)").run(step.write);
        else if ("vacuum" in step) writer.exec("vacuum");
        else {
          reader.exec("begin");
          const counted = counts.get({ text, values: [step.count] }, () => fresh(step.count));
          if (step.isSnapshotKept) writer.prepare("insert into numbers values (?)").run(step.count);
          expect(counts.get({ text, values: [step.count] }, () => fresh(step.count))).toBe(counted);
          expect(fresh(step.count)).toBe(counted);
          reader.exec("commit");
        }
      }
      reader.close();
      writer.close();
    }),
  );
});

it("counts what was counted before once", () => {
  const counts = new KnownCounts(new Database(file, { readonly: true }));
  let times = 0;
  const count = () => ++times;
  for (let turn = 0; turn < 3; turn++) counts.get({ text: "select 1", values: [] }, count);
  expect(times).toBe(1);
  counts.get({ text: "select 1", values: ["x".repeat(20_000)] }, count);
  counts.get({ text: "select 1", values: ["x".repeat(20_000)] }, count);
  expect(times).toBe(3);
});
