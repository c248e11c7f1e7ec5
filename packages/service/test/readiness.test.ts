import { mkdir, readFile, rename, rm, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { pino } from "pino";
import { afterEach, expect, test } from "vitest";
import { DataError } from "../src/data/data-error.ts";
import type { DataFolder } from "../src/data/data-folder.ts";
import { createReadiness } from "../src/http/readiness.ts";
import { startService } from "../src/service.ts";
import { ask, toCollection } from "./support/ask.ts";
import { flipBit } from "./support/flip-bit.ts";
import { type Running, run } from "./support/running.ts";
import { runSql } from "./support/sql.ts";
import { onFiles, setReachable } from "./support/test-database.ts";

let running: Running | undefined;
let repair: () => Promise<void> = async () => {};
afterEach(async () => {
  await repair();
  await running?.stop();
  running = undefined;
});

const readinessOf = async ({ service }: Pick<Running, "service">) => {
  const { status, text } = await ask(service.baseUrl, "/health/ready");
  return [status, JSON.parse(text)] as const;
};

const ready = [200, { status: "ready" }] as const;
const unready = (...reasons: readonly string[]) => [503, { status: "not_ready", reasons }] as const;

/** Puts a file out of the way until the test is over. */
async function putAway(file: string): Promise<void> {
  await rename(file, `${file}.away`);
  repair = async () => {
    await rm(file, { recursive: true, force: true });
    await rename(`${file}.away`, file);
  };
}

type Folder = Running["folder"];

/** Renames a table until the test is over. */
async function hideTable(folder: Folder, database: "listings" | "registry", table: string): Promise<void> {
  await runSql(folder, database, `alter table ${table} rename to hidden`);
  repair = async () => void (await runSql(folder, database, `alter table hidden rename to ${table}`));
}

test.each<[reason: string, breakIt: (folder: Folder) => Promise<void>]>([
  [
    "database_unreadable",
    async (folder) => {
      if (!onFiles) return hideTable(folder, "listings", "cadastre_build");
      await putAway(folder.database);
      await writeFile(folder.database, "not a database ".repeat(1000));
    },
  ],
  [
    "registry_unreadable",
    async (folder) =>
      onFiles ? putAway(folder.registry) : hideTable(folder, "registry", "cadastre_api_key"),
  ],
  ["secrets_missing", async ({ secrets }) => putAway(secrets)],
  [
    "secrets_missing",
    async ({ secrets }) => {
      await putAway(secrets);
      await writeFile(secrets, "{}");
    },
  ],
  [
    "trust_set_empty",
    async ({ publicKeys }) => {
      await putAway(publicKeys);
      await writeFile(publicKeys, '{"keys":[]}');
    },
  ],
  [
    "no_active_build",
    async (folder) => {
      await runSql(folder, "listings", "update cadastre_build set evidence = '{}'");
    },
  ],
  [
    "parts_not_writable",
    async ({ exports }) => {
      await mkdir(exports, { recursive: true });
      await rm(join(exports, "parts"), { recursive: true, force: true });
      await writeFile(join(exports, "parts"), "");
    },
  ],
])(
  "`%s` is told, and told no more once it is repaired",
  async (reason, breakIt) => {
    running = await run({ CADASTRE_LISTINGS: "50", CADASTRE_ADMIN_PORT: "0" });
    const { folder, service } = running;
    const found = () => running && readinessOf(running);
    expect(await found()).toEqual(ready);
    await breakIt(folder);
    await expect.poll(found, { timeout: 30_000 }).toEqual(unready(reason));
    expect((await ask(service.baseUrl, "/health/live")).text).toBe('{"status":"live"}');
    const { text } = await ask(`http://127.0.0.1:${service.adminPort}`, "/metrics");
    expect(text).toContain(`cadastre_not_ready{reason="${reason}"} 1\n`);
    expect(text).toContain('cadastre_not_ready{reason="stopping"} 0\n');
    expect(running.log()).toContain(`"reasons":["${reason}"]`);
    if (reason === "no_active_build") return;
    if (reason === "parts_not_writable") await rm(join(folder.exports, "parts"));
    else await repair();
    repair = async () => {};
    await expect.poll(found, { timeout: 30_000 }).toEqual(ready);
  },
  90_000,
);

test.runIf(onFiles)(
  "database files that were looked into stay locked, so that no other program takes them for unused",
  async () => {
    running = await run({ CADASTRE_LISTINGS: "50" });
    const { folder } = running;
    for (let k = 0; k < 2; k++) {
      expect(await readinessOf(running)).toEqual(ready);
      await setTimeout(1100);
    }
    if (process.platform !== "linux") return;
    const locks = await readFile("/proc/locks", "utf8");
    for (const file of [folder.database, folder.registry])
      expect(locks).toMatch(new RegExp(` READ +${process.pid} [0-9a-f:]+:${(await stat(file)).ino} `));
  },
);

test.runIf(onFiles)("a database file that was cut off is told", async () => {
  running = await run({ CADASTRE_LISTINGS: "50" });
  await truncate(running.folder.database, 0);
  const found = () => running && readinessOf(running);
  await expect.poll(found, { timeout: 30_000 }).toEqual(unready("database_unreadable"));
  // Closing it writes to it: another one is closed in its place.
  await running.service.stop().catch(() => {});
  running = undefined;
});

test.skipIf(onFiles)(
  "a server that ends its connections and takes none is told, and told no more once it does",
  async () => {
    running = await run({ CADASTRE_LISTINGS: "50" });
    const { folder, service, key } = running;
    const found = () => running && readinessOf(running);
    const page = () => ask(service.baseUrl, "/reso/odata/Property?$top=5", { "x-api-key": key("national") });
    const before = toCollection(await page()).value;
    await setReachable(folder, false);
    repair = () => setReachable(folder, true);
    await expect
      .poll(found, { timeout: 30_000 })
      .toEqual(unready("database_unreadable", "registry_unreadable"));
    expect((await page()).status).toBe(503);
    expect((await ask(service.baseUrl, "/health/live")).status).toBe(200);
    await repair();
    repair = async () => {};
    await expect.poll(found, { timeout: 30_000 }).toEqual(ready);
    expect(toCollection(await page()).value).toEqual(before);
  },
  90_000,
);

const log = pino({ level: "silent" });

test("however often it is asked, a check runs once in its lifetime", async () => {
  let [runs, time] = [0, 0];
  const passes = async () => ++runs < 3;
  const { reasons } = createReadiness([{ reason: "secrets_missing", passes, lifetime: 500 }], {
    log,
    now: () => time,
  });
  for (let asked = 0; asked < 100; asked++) expect(await reasons()).toEqual([]);
  expect(runs).toBe(1);
  time = 500;
  await Promise.all([reasons(), reasons()]);
  expect(runs).toBe(2);
  time = 1000;
  expect(await reasons()).toEqual(["secrets_missing"]);
});

test("a check that does not end fails, and is not begun again", async () => {
  let [runs, time] = [0, 0];
  const passes = async () => {
    runs++;
    await setTimeout(60_000, undefined, { ref: false });
    return true;
  };
  const { reasons } = createReadiness([{ reason: "database_unreadable", passes }], { log, now: () => time });
  expect(await reasons()).toEqual(["database_unreadable"]);
  time = 5000;
  expect(await reasons()).toEqual(["database_unreadable"]);
  expect(runs).toBe(1);
}, 10_000);

/** Changes one bit of a record's text. */
async function damage({ database }: DataFolder): Promise<void> {
  await flipBit(database, (await readFile(database)).lastIndexOf('"PublicRemarks"') + 20);
}

test.runIf(onFiles)(
  "a service whose database file has a changed bit does not start, unless it is told not to check",
  async () => {
    running = await run({ CADASTRE_LISTINGS: "50" });
    const { folder, config } = running;
    await running.service.stop();
    await damage(folder);
    const start = (checkHours: number) => startService({ ...config, checkHours }, folder, log);
    await expect(start(24)).rejects.toThrow(
      /^\S+: listings\.sqlite: .*: restore the last backup .*CADASTRE_CHECK_HOURS=0$/,
    );
    await expect(start(24)).rejects.toBeInstanceOf(DataError);
    const service = await start(0);
    expect(await readinessOf({ service })).toEqual(ready);
    await service.stop();
  },
  40_000,
);

test.runIf(onFiles)(
  "a bit of a database file that changes while the service answers is told after the next check",
  async () => {
    running = await run({ CADASTRE_LISTINGS: "50" });
    const { folder, config } = running;
    await running.service.stop();
    const service = await startService({ ...config, checkHours: 2 / 3600 }, folder, log);
    try {
      expect(await readinessOf({ service })).toEqual(ready);
      await damage(folder);
      const found = () => readinessOf({ service });
      await expect.poll(found, { timeout: 30_000 }).toEqual(unready("database_damaged"));
    } finally {
      await service.stop();
    }
  },
  60_000,
);

test("a request that met a damaged page counts until the start after", async () => {
  const { reasons, noteError } = createReadiness([], { log });
  noteError?.(Object.assign(new Error("no such column"), { code: "SQLITE_ERROR" }));
  expect(await reasons()).toEqual([]);
  noteError?.(Object.assign(new Error("malformed"), { code: "SQLITE_CORRUPT" }));
  expect(await reasons()).toEqual(["database_damaged"]);
});
