import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compileProgram, hasPostgres, type PostgresServer, startPostgres } from "@cadastre/odata/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { WritableStore } from "../src/index.ts";
import { openPostgresStore } from "../src/postgres/index.ts";
import { openSqliteStore } from "../src/sqlite/index.ts";
import { ask, stored } from "./support/listings.ts";
import { batchesOf, type Fault, outcomeOf, run } from "./support/staged-run.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const program = await compileProgram(fileURLToPath(new URL("support/fault.ts", import.meta.url)));
const resources = [stored];

/** Run the program until it is killed, or ends. Gives the signal that ended it. */
async function runProgram(place: unknown, fault: Fault): Promise<NodeJS.Signals | null> {
  const child = spawn(process.execPath, [program, JSON.stringify(place), JSON.stringify(fault)], {
    cwd: root,
    stdio: "inherit",
  });
  const [, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
  return signal;
}

/** Faults one after the other, on one store: each run goes on where the one before died. */
const faults: readonly (readonly [at: string, fault: Fault, served: number])[] = [
  ["the first change of a batch", { batch: 1, change: 0 }, 0],
  ["the middle of a batch", { batch: 2, change: 600 }, 0],
  ["the end of the first publication", { publication: 1 }, 0],
  ["a batch after a publication", { batch: 5, change: 501 }, 1],
  ["the end of the second publication", { publication: 2 }, 1],
  ["the same again", { publication: 2 }, 1],
];

function dies(open: () => Promise<WritableStore>, place: () => unknown): void {
  test("a process that dies leaves what was served, and its successor completes the work", async () => {
    const whole = await openSqliteStore({
      file: join(folder, `whole_${++stores}.sqlite`),
      resources,
      threads: 0,
    });
    await run(whole, batchesOf());
    const expected = await outcomeOf(whole);
    await whole.close();
    for (const [at, fault, served] of faults) {
      expect(await runProgram(place(), fault), at).toBe("SIGKILL");
      const store = await open();
      const left = await outcomeOf(store);
      expect(left, at).toEqual(expected.slice(expected.length - served));
      expect(await store.count(ask()), at).toBe(left[0]?.records ?? 0);
      await store.close();
    }
    expect(await runProgram(place(), {})).toBeNull();
    const store = await open();
    expect(await outcomeOf(store)).toEqual(expected);
    await store.close();
  }, 180_000);
}

let stores = 0;
const folder = mkdtempSync(join(tmpdir(), "cadastre-faults-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("SQLite", () => {
  const file = join(folder, "faults.sqlite");
  dies(
    () => openSqliteStore({ file, resources, threads: 0 }),
    () => ({ file }),
  );
});

describe.skipIf(!hasPostgres)("PostgreSQL", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());
  dies(
    () => openPostgresStore({ connection: server.url, schema: "faults", resources }),
    () => ({ connection: server.url }),
  );
});
