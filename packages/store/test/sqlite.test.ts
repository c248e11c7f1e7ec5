import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterAll, describe, expect, test, vi } from "vitest";
import { openSqliteStore } from "../src/sqlite/index.ts";
import type { Harness } from "./conformance/harness.ts";
import { conformance } from "./conformance/index.ts";
import { ask, records, stored } from "./support/listings.ts";
import { plans } from "./support/plans.ts";

const folder = mkdtempSync(join(tmpdir(), "cadastre-store-"));
afterAll(() => rmSync(folder, { recursive: true }));

const harnessOf = (prefix: string, threads: number): Harness => ({
  isConcurrent: threads > 0,
  open: (name, { resources = [stored], readers = threads, ...options } = {}) =>
    openSqliteStore({
      file: join(folder, `${prefix}_${name}.sqlite`),
      resources,
      threads: threads === 0 ? 0 : readers,
      ...options,
    }),
});

conformance("SQLite on the calling thread", harnessOf("calling", 0));
conformance("SQLite on threads", harnessOf("threads", 2));

plans("SQLite", harnessOf("plans", 0), {
  byKey: /USING INDEX sqlite_autoindex_Listing_1/,
  by: (index) => new RegExp(`USING INDEX ${index}\\b`),
  sort: /USE TEMP B-TREE FOR (ORDER BY|LAST)/,
  whole: /USE TEMP B-TREE FOR ORDER BY|SCAN Listing/,
});

describe("a thread that reads", () => {
  test("is replaced when it dies", async () => {
    const post = vi.spyOn(Worker.prototype, "postMessage");
    const store = await harnessOf("dying", 1).open("store");
    await store.commit(records);
    expect((await store.page(ask())).length).toBe(records.length);
    const worker = post.mock.contexts.at(-1) as Worker;
    post.mockRestore();
    await worker.terminate();
    expect((await store.page(ask())).length).toBe(records.length);
    await store.close();
  });
});
