import { createHash } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import Database from "better-sqlite3";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { ask } from "../support/ask.ts";
import { customerOf, dataOf } from "../support/deliveries.ts";
import { end, type Program, says, startProgram } from "../support/program.ts";
import { type Running, run } from "../support/running.ts";
import { runSql } from "../support/sql.ts";
import { onFiles } from "../support/test-database.ts";

const leaseSeconds = 3;

let running: Running;
let national: ReturnType<typeof customerOf>;
beforeAll(async () => {
  running = await run({ CADASTRE_LISTINGS: "1000", CADASTRE_WORKER: "false" });
  national = customerOf(running);
}, 120_000);
afterAll(() => running.stop());

const programs: Program[] = [];
afterEach(async () => {
  for (const program of programs.splice(0)) {
    if (program.child.exitCode !== null || program.child.signalCode !== null) continue;
    program.child.kill("SIGCONT");
    await end(program, "SIGTERM");
  }
});

async function start(file: string, args: readonly string[], more: Readonly<Record<string, string>> = {}) {
  const program = await startProgram(file, args, {
    CADASTRE_DATA: running.folder.path,
    CADASTRE_LEASE_SECONDS: String(leaseSeconds),
    CADASTRE_LOG_LEVEL: "info",
    CADASTRE_CHECK_HOURS: "0",
    PORT: "0",
    ...more,
  });
  programs.push(program);
  return program;
}

const startWorker = async (more?: Readonly<Record<string, string>>) => {
  const worker = await start("cli/main.ts", ["worker"], more);
  await says(worker, "Building deliveries");
  return worker;
};

/** Waits until a delivery is being built. */
async function building(id: string): Promise<void> {
  const stateOf = async () => dataOf<{ status: string }>(await national.get(`/v1/file-exports/${id}`)).status;
  let state = await stateOf();
  while (state === "queued") {
    await wait(5);
    state = await stateOf();
  }
  expect(state).toBe("building");
}

/** Checks the parts of a delivery against its manifest, and returns their hashes. */
async function partsOf(id: string): Promise<readonly string[]> {
  const { data } = await national.manifest(id);
  for (const { number, sha256 } of data.parts) {
    const bytes = await national.fetched(id, number);
    expect(createHash("sha256").update(bytes).digest("hex")).toBe(sha256);
  }
  return data.parts.map(({ sha256 }) => sha256);
}

/** True if no process is in a transaction of the registry. */
async function isFree(): Promise<boolean> {
  if (!onFiles) {
    const busy = `select 1 from pg_stat_activity
      where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()`;
    return (await runSql(running.folder, "registry", busy)).length === 0;
  }
  const registry = new Database(running.folder.registry, { timeout: 100 });
  try {
    registry.exec("begin immediate; rollback");
    return true;
  } catch {
    return false;
  } finally {
    registry.close();
  }
}

/**
 * Stops a process while it is not writing to the registry. The databases make other writers wait for the end of a transaction, SQLite all of
 * them, so a process that is stopped within one would block them until it continues.
 */
async function stopBetweenWrites({ child }: Program): Promise<void> {
  for (child.kill("SIGSTOP"); !(await isFree()); child.kill("SIGSTOP")) {
    child.kill("SIGCONT");
    await wait(5);
  }
}

/** Small parts, so that a delivery has many. */
const small = { CADASTRE_PART_BYTES: "65536" };

describe("a worker that is", () => {
  test.each(["SIGKILL", "SIGSTOP"] as const)(
    "ended or stopped by %s in the middle of a delivery leaves it to the next one",
    async (signal) => {
      const lost = await startWorker(small);
      const id = await national.created();
      await building(id);
      if (signal === "SIGSTOP") await stopBetweenWrites(lost);
      else lost.child.kill(signal);
      const next = await startWorker(small);
      expect(await national.finished(id)).toBe("complete");
      const parts = await partsOf(id);
      const manifest = (await national.manifest(id)).meta.manifest_sha256;
      expect(lost.output()).not.toContain(`"delivery":"${id}"`);
      if (signal === "SIGSTOP") {
        lost.child.kill("SIGCONT");
        // The resumed worker notices that it has lost the delivery, and continues with others.
        await says(lost, `"delivery":"${id}","outcome":"lost"`);
        await end(next, "SIGTERM");
        const other = await national.complete();
        expect(await partsOf(other)).toEqual(parts);
      }
      expect((await national.manifest(id)).meta.manifest_sha256).toBe(manifest);
      expect(await partsOf(id)).toEqual(parts);
    },
    120_000,
  );
});

test("a service that is stopped for longer than a lease answers what has come meanwhile, and has lost its delivery", async () => {
  const service = await start("main.ts", [], { ...small, CADASTRE_WORKER: "true" });
  await says(service, "Stop with Ctrl-C.");
  const [, port = ""] = /http:\/\/127\.0\.0\.1:(\d+)/.exec(service.output()) ?? [];
  const page = "/reso/odata/Property?$top=50&$orderby=ListingKey";
  const get = () => ask(`http://127.0.0.1:${port}`, page, national.headers);
  const before = JSON.parse((await get()).text) as { value: unknown };
  const id = await national.created();
  await building(id);
  await stopBetweenWrites(service);
  const asked = Array.from({ length: 20 }, get);
  await startWorker(small);
  expect(await national.finished(id)).toBe("complete");
  const parts = await partsOf(id);
  await wait(leaseSeconds * 1000);
  service.child.kill("SIGCONT");
  for (const { status, text } of await Promise.all(asked)) {
    expect(status).toBe(200);
    expect((JSON.parse(text) as { value: unknown }).value).toEqual(before.value);
  }
  await says(service, `"delivery":"${id}","outcome":"lost"`);
  expect((await get()).status).toBe(200);
  expect(await partsOf(id)).toEqual(parts);
}, 120_000);
