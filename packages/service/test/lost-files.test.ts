import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readIssuer } from "../src/access/demo-issuer.ts";
import { readConfig } from "../src/config.ts";
import { DataError } from "../src/data/data-error.ts";
import { type DataFolder, dataFolderAt, replaceFile } from "../src/data/data-folder.ts";
import { databasesOf } from "../src/data/databases.ts";
import { migrateFolder } from "../src/data/migrate-folder.ts";
import { createPepper, readSecrets, secretsText } from "../src/data/secrets.ts";
import { startService } from "../src/service.ts";
import { cadastre } from "./support/cli.ts";
import { customerOf } from "./support/deliveries.ts";
import { type Running, run } from "./support/running.ts";
import { dropDatabase } from "./support/sql.ts";
import { copyDataFolder, onFiles, withDatabase } from "./support/test-database.ts";

/*
 * A registry relies on files beside it. Where one of them is lost the start is refused: a new one would
 * lock out every customer.
 */

let scratch: string;
let running: Running;
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "cadastre-lost-"));
  running = await run({ CADASTRE_LISTINGS: "20" });
  await customerOf(running).complete();
}, 60_000);
afterAll(async () => {
  await running.stop();
  await rm(scratch, { recursive: true, force: true });
});

let copies = 0;
const copyOfFolder = (): Promise<DataFolder> =>
  copyDataFolder(running.folder, join(scratch, String(++copies)));

const start = (folder: DataFolder) =>
  startService(
    readConfig(withDatabase({ PORT: "0", CADASTRE_DATA: folder.path, CADASTRE_LOG_LEVEL: "silent" })),
    folder,
  );

async function refusal(work: () => Promise<unknown>): Promise<string> {
  const error: unknown = await work().then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(DataError);
  return (error as DataError).message;
}

describe("a start is refused", () => {
  test("without secrets.json, which is not made anew", async () => {
    const folder = await copyOfFolder();
    await rm(folder.secrets);
    expect(await refusal(() => start(folder))).toMatch(
      new RegExp(
        `^${folder.secrets} does not exist, and ${databasesOf(folder).registryName} holds API keys or secrets that depend on it: .*cadastre restore`,
      ),
    );
    expect(existsSync(folder.secrets)).toBe(false);
  });

  test("with secrets that lack a pepper of keys in force", async () => {
    const folder = await copyOfFolder();
    const { skipTokenKey } = await readSecrets(folder);
    await replaceFile(folder.secrets, secretsText({ peppers: [createPepper(7)], skipTokenKey }));
    expect(await refusal(() => start(folder))).toMatch(
      /secrets\.json does not belong to this registry: it lacks the pepper of version 1, with which \d+ API keys in force were made: .*cadastre restore/,
    );
  });

  test("with other peppers under the same versions, which `cadastre check` finds too", async () => {
    const folder = await copyOfFolder();
    const { skipTokenKey } = await readSecrets(folder);
    await replaceFile(folder.secrets, secretsText({ peppers: [createPepper(1)], skipTokenKey }));
    expect(await refusal(() => start(folder))).toMatch(
      /secrets\.json does not belong to this registry: its pepper of version 1 is not the one with which \d+ API keys in force were made: .*cadastre restore/,
    );
    const { code, stdout } = await cadastre(["check", "--json"], {
      environment: { CADASTRE_DATA: folder.path },
    });
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject([{ code: "pepper_foreign", subject: "secrets.json" }]);
  });

  test("without signing-keys.json, with which deliveries were signed", async () => {
    const folder = await copyOfFolder();
    await rm(folder.signingKeys);
    expect(await refusal(() => start(folder))).toMatch(
      /signing-keys\.json does not exist, and .* holds deliveries that depend on it/,
    );
    expect(existsSync(folder.signingKeys)).toBe(false);
  });

  test("with a digit of a pepper that has changed", async () => {
    const folder = await copyOfFolder();
    const text = await readFile(folder.secrets, "utf8");
    const digit = /"secret":"(.)/.exec(text)?.[1] === "A" ? "B" : "A";
    await writeFile(folder.secrets, text.replace(/("secret":").(?=[\w-]{42}")/, `$1${digit}`));
    expect(await refusal(() => start(folder))).toMatch(
      /secrets\.json does not hold what the service keeps in it/,
    );
  });

  test("without the registry, which the secrets belong to", async () => {
    const folder = await copyOfFolder();
    await dropDatabase(folder, "registry");
    expect(await refusal(() => start(folder))).toContain(
      `${databasesOf(folder).registryName} does not exist, and ${folder.secrets} belongs to it`,
    );
    expect(await databasesOf(folder).hasRegistry()).toBe(false);
  });

  test.skipIf(onFiles)("without the listings of a PostgreSQL database", async () => {
    const folder = await copyOfFolder();
    await dropDatabase(folder, "listings");
    expect(await refusal(() => start(folder))).toMatch(/lacks tables of the service: restore your last dump/);
    expect(await databasesOf(folder).hasListings()).toBe(false);
  });

  test.runIf(onFiles).each(["empty", "foreign"])(
    "with an %s file in the place of the listings",
    async (kind) => {
      const folder = await copyOfFolder();
      for (const suffix of ["", "-wal", "-shm"]) await rm(folder.database + suffix, { force: true });
      const database = new Database(folder.database);
      if (kind === "foreign") database.exec("create table a (x); insert into a values (1)");
      database.close();
      await writeFile(folder.database, "", { flag: "a" });
      const before = await readFile(folder.database);
      expect(await refusal(() => migrateFolder(folder, () => {}))).toMatch(
        /listings\.sqlite is not a database of listings, or was emptied: .*cadastre restore/,
      );
      expect(await refusal(() => start(folder))).toContain("is not a database of listings");
      expect(await readFile(folder.database)).toEqual(before);
    },
  );

  test("without issuer.json, which signed the entitlements", async () => {
    const folder = await copyOfFolder();
    await rm(folder.issuer);
    expect(await refusal(() => readIssuer(folder))).toMatch(
      /issuer\.json does not exist, and .* holds entitlements that depend on it/,
    );
  });
});

test("a folder whose files were put back starts, and its keys are valid", async () => {
  const folder = await copyOfFolder();
  await rm(folder.secrets);
  await refusal(() => start(folder));
  await writeFile(folder.secrets, await readFile(running.folder.secrets));
  const service = await start(folder);
  const reply = await fetch(`${service.baseUrl}/reso/odata/Property?$top=1`, {
    headers: { "x-api-key": running.key("national") },
  });
  expect(reply.status).toBe(200);
  await service.stop();
});

test("keys of the operator in public-keys.json outlive a start", async () => {
  const folder = await copyOfFolder();
  const read = async () =>
    JSON.parse(await readFile(folder.publicKeys, "utf8")) as { keys: { kid: string }[] };
  const { keys } = await read();
  const own = { ...keys[0], kid: "operator" };
  await writeFile(folder.publicKeys, JSON.stringify({ keys: [own] }));
  await readIssuer(folder);
  expect(await read()).toEqual({ keys: [own, ...keys] });
  const text = await readFile(folder.publicKeys, "utf8");
  await readIssuer(folder);
  expect(await readFile(folder.publicKeys, "utf8")).toBe(text);
});

test("a folder without a registry gets secrets of its own", async () => {
  const folder = dataFolderAt(scratch);
  expect((await readSecrets(folder)).peppers).toHaveLength(1);
});
