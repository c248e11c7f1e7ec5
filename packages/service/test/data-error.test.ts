import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isRoot } from "@cadastre/odata/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readConfig } from "../src/config.ts";
import { DataError, withDataFolder } from "../src/data/data-error.ts";
import { type DataFolder, dataFolderAt, openDataFolder } from "../src/data/data-folder.ts";
import { databasesOf } from "../src/data/databases.ts";
import { prepareListings } from "../src/data/prepare-listings.ts";
import { withRegistry } from "../src/data/registry.ts";
import { readSecrets } from "../src/data/secrets.ts";
import { prepareDemoAccess } from "../src/demo/demo-access.ts";
import { startService } from "../src/service.ts";
import { noProgress } from "./support/prepare-demo.ts";

let path: string;
beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), "cadastre-data-"));
});
afterEach(() => rm(path, { recursive: true, force: true }));

const prepare = (folder: DataFolder, progress = noProgress) => prepareListings(folder, 20, progress);
const prepareAccess = async (folder: DataFolder) => {
  const secrets = await readSecrets(folder);
  return withRegistry(folder, (registry) => prepareDemoAccess(folder, registry, secrets, Date.now()));
};

/** The sentence that `work` on the folder ends with. */
async function sentence(work: () => Promise<unknown>): Promise<string> {
  const error: unknown = await withDataFolder(path, work).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(DataError);
  const { message } = error as DataError;
  expect(message).not.toContain("\n");
  return message;
}

describe("a fault of the data folder is told in a sentence that names the path", () => {
  test("a file in place of the folder", async () => {
    const file = join(path, "file");
    await writeFile(file, "");
    const remedy = "is not a folder: set CADASTRE_DATA to the path of a folder";
    expect(await sentence(() => openDataFolder(file))).toBe(`${file} ${remedy} (EEXIST)`);
    expect(await sentence(() => openDataFolder(join(file, "in")))).toContain(`${remedy} (ENOTDIR)`);
  });

  test("a database that is none", async () => {
    const folder = await openDataFolder(path);
    await writeFile(folder.database, "not a database ".repeat(1000));
    expect(await sentence(() => prepare(folder))).toMatch(
      new RegExp(`^${folder.database} is damaged or not a database: move it away .*\\(SQLITE_NOTADB\\)$`),
    );
  });

  test("a database with a damaged page", async () => {
    const folder = await openDataFolder(path);
    await prepare(folder);
    const bytes = await readFile(folder.database);
    await writeFile(folder.database, bytes.fill(0xff, 100, 4096));
    expect(await sentence(() => prepare(folder))).toContain(`${folder.database} is damaged`);
  });

  test.each([
    ["EACCES", "cannot be read and written"],
    ["EROFS", "cannot be read and written"],
    ["ENOSPC", "the disk is full"],
  ])("%s of a file", async (code, says) => {
    const work = () => Promise.reject(Object.assign(new Error(), { code, path: "/data/demo.json" }));
    expect(await sentence(work)).toMatch(new RegExp(`^/data/demo.json .*${says}.*CADASTRE_DATA`));
  });

  test.each(["SQLITE_CANTOPEN", "SQLITE_READONLY_DIRECTORY"])("%s of the database", async (code) => {
    const work = () => Promise.reject(Object.assign(new Error(), { code }));
    expect(await sentence(work)).toBe(
      `${join(path, "listings.sqlite")} cannot be read and written: give the user who starts the service the rights, or set CADASTRE_DATA to another folder (${code})`,
    );
  });

  test.each(["secrets", "issuer"] as const)("%s that is broken", async (name) => {
    const folder = await openDataFolder(path);
    await prepareAccess(folder);
    const remedy = "copy it from your last backup";
    await writeFile(folder[name], '{"pepper":"top-secret');
    expect(await sentence(() => prepareAccess(folder))).toBe(`${folder[name]} is not JSON: ${remedy}`);
    await writeFile(folder[name], '{"pepper":"top-secret"}');
    expect(await sentence(() => prepareAccess(folder))).toBe(
      `${folder[name]} does not hold what the service keeps in it: ${remedy}`,
    );
  });

  test("a registry that is none", async () => {
    const folder = await openDataFolder(path);
    await writeFile(folder.registry, "not a database ".repeat(1000));
    expect(await sentence(() => prepareAccess(folder))).toMatch(
      new RegExp(
        `^${folder.registry} is damaged or not a database: run .cadastre restore --replace <backup>. .*\\(SQLITE_NOTADB\\)$`,
      ),
    );
  });

  test("a registry that cannot be made", async () => {
    const folder = await openDataFolder(path);
    await mkdir(folder.registry);
    expect(await sentence(() => prepareAccess(folder))).toMatch(
      new RegExp(`^${folder.registry} cannot be read and written: .*\\(EISDIR\\)$`),
    );
  });

  test("public keys that are gone", async () => {
    const folder = await openDataFolder(path);
    await prepareAccess(folder);
    await rm(folder.publicKeys);
    const start = () => startService(readConfig({ PORT: "0", CADASTRE_LOG_LEVEL: "silent" }), folder);
    expect(await sentence(start)).toMatch(
      new RegExp(
        `^${folder.publicKeys}: the key set cannot be read: there is no such file or folder .ENOENT.: put back a copy`,
      ),
    );
  });

  test("public keys that are broken", async () => {
    const folder = await openDataFolder(path);
    await prepareAccess(folder);
    await writeFile(folder.publicKeys, "{");
    const start = () => startService(readConfig({ PORT: "0", CADASTRE_LOG_LEVEL: "silent" }), folder);
    expect(await sentence(start)).toMatch(
      new RegExp(`^${folder.publicKeys}: .*the key set does not fit a JWKS`),
    );
  });
});

// Only root can be somebody else for a while.
test.runIf(isRoot)("a folder that may not be entered is not told to be missing", async () => {
  process.seteuid?.(65_534);
  try {
    await expect(withDataFolder(path, () => databasesOf(dataFolderAt(path)).hasListings())).rejects.toThrow(
      /cannot be read and written: give the user who starts the service the rights.*\(EACCES\)/,
    );
  } finally {
    process.seteuid?.(0);
  }
});

test("another error stays what it is", async () => {
  const fault = new TypeError("ours");
  await expect(withDataFolder(path, () => Promise.reject(fault))).rejects.toBe(fault);
});
