import { readFile, utimes } from "node:fs/promises";
import { connect } from "node:net";
import { freePort } from "@cadastre/odata/testing";
import { afterEach, expect, test } from "vitest";
import { scheduleChecks } from "../src/check/scheduled-check.ts";
import { takeWholeStop } from "../src/check/whole-stop.ts";
import { DataError } from "../src/data/data-error.ts";
import { createLog } from "../src/log.ts";
import { startService, wholeService } from "../src/service.ts";
import { flipBit } from "./support/flip-bit.ts";
import { type Running, run } from "./support/running.ts";
import { runSql } from "./support/sql.ts";
import { onFiles } from "./support/test-database.ts";

let running: Running | undefined;
afterEach(async () => {
  await running?.stop();
  running = undefined;
});

const log = createLog("silent");
const day = 24;

/** Runs a service that checks its databases, stops it, and returns what it leaves. */
async function stopped(lastCheck?: number): Promise<Running> {
  running ??= await run({ CADASTRE_LISTINGS: "50" });
  await running.service.stop();
  const role = { ...wholeService, lastCheck };
  const service = await startService({ ...running.config, checkHours: day }, running.folder, log, role);
  await service.stop();
  return running;
}

const damage = async ({ database }: Running["folder"]) =>
  flipBit(database, (await readFile(database)).lastIndexOf('"PublicRemarks"') + 20);

test.runIf(onFiles)(
  "a service that stops notes when it checked its databases, once, and for the files that it leaves",
  async () => {
    const before = Date.now();
    const { folder } = await stopped();
    const checked = await takeWholeStop(folder);
    expect(checked).toBeGreaterThanOrEqual(before);
    expect(checked).toBeLessThanOrEqual(Date.now());
    expect(await takeWholeStop(folder)).toBeUndefined();
  },
  40_000,
);

test.runIf(onFiles).each<[what: string, change: (folder: Running["folder"]) => Promise<unknown>]>([
  ["another program has written", (folder) => runSql(folder, "registry", "create table other (id integer)")],
  ["a bit has changed", damage],
  ["is older than it was", ({ database }) => utimes(database, 1, 1)],
])(
  "a database that %s is not as the service left it",
  async (_, change) => {
    const { folder } = await stopped();
    await change(folder);
    expect(await takeWholeStop(folder)).toBeUndefined();
  },
  40_000,
);

test.runIf(onFiles)(
  "a start waits for the check, unless the databases are as they were at one less than the interval ago; damage is told all the same",
  async () => {
    const { folder } = await stopped();
    await damage(folder);
    for (const [age, waits] of [
      [undefined, true],
      [day + 1, true],
      [day - 1, false],
      [-1, true],
    ] as const) {
      let tell: (code: string) => void = () => {};
      const told = new Promise<string>((resolve) => {
        tell = resolve;
      });
      const checks = scheduleChecks(folder, {
        hours: day,
        heap: 48,
        log,
        onFinding: ({ code }) => tell(code),
        delay: 50,
        lastCheck: age === undefined ? undefined : Date.now() - age * 3_600_000,
      });
      const first = checks.waitForFirst();
      if (waits) await expect(first).rejects.toBeInstanceOf(DataError);
      else await expect(first).resolves.toBeUndefined();
      expect(await told).toBe("database_altered");
      await checks.stop();
      // What was found damaged is not noted as whole.
      await checks.noteWhole();
      expect(await takeWholeStop(folder)).toBeUndefined();
    }
  },
  40_000,
);

test.runIf(onFiles)(
  "a start that follows a whole one passes on when the databases were checked, if it stops before its own check has ended",
  async () => {
    const lastCheck = Date.now() - 3_600_000;
    const { folder } = await stopped(lastCheck);
    // Its own check may have ended.
    expect(await takeWholeStop(folder)).toBeGreaterThanOrEqual(lastCheck);
  },
  40_000,
);

test("a service tells that it is ready while its port is not open yet", async () => {
  running = await run({ CADASTRE_LISTINGS: "50" });
  await running.service.stop();
  const port = await freePort();
  let refused: Promise<unknown> = Promise.reject(new Error("it was not told"));
  refused.catch(() => {});
  const onReady = () => {
    const socket = connect(port, "127.0.0.1");
    refused = new Promise((resolve) => {
      socket.once("error", (error: NodeJS.ErrnoException) => resolve(error.code));
      socket.once("connect", () => resolve("connected"));
    });
  };
  const config = { ...running.config, host: "127.0.0.1", port };
  const service = await startService(config, running.folder, log, { ...wholeService, onReady });
  expect(await refused).toBe("ECONNREFUSED");
  await service.stop();
}, 40_000);
