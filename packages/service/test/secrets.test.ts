import { mkdtemp, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { DataError } from "../src/data/data-error.ts";
import { type DataFolder, openDataFolder, replaceFile } from "../src/data/data-folder.ts";
import { createPepper, pepperReader, readSecrets, type Secrets, secretsText } from "../src/data/secrets.ts";

let folder: DataFolder;
let secrets: Secrets;
beforeEach(async () => {
  folder = await openDataFolder(await mkdtemp(join(tmpdir(), "cadastre-secrets-")));
  secrets = await readSecrets(folder);
});
afterEach(() => rm(folder.path, { recursive: true }));

test("peppers are those of the folder at any time", async () => {
  const read = pepperReader(folder);
  expect(await read()).toEqual(secrets.peppers);
  expect(await read()).toBe(await read());
  for (const version of [2, 3, 4]) {
    const peppers = [createPepper(version), ...secrets.peppers] as const;
    await replaceFile(folder.secrets, secretsText({ ...secrets, peppers }));
    expect(await read()).toEqual(peppers);
  }
});

test("they are read again if their file was written in place within the same time", async () => {
  const read = pepperReader(folder);
  await read();
  const { atime, mtime } = await stat(folder.secrets);
  const { peppers } = secrets;
  const another = await readFile(folder.secrets, "utf8").then(
    (text) => JSON.parse(text) as { peppers: object[]; sha256?: string },
  );
  delete another.sha256;
  another.peppers = [{ ...another.peppers[0], secret: Buffer.alloc(32, 7).toString("base64url") }];
  await writeFile(folder.secrets, JSON.stringify(another));
  await utimes(folder.secrets, atime, mtime);
  expect(await read()).toEqual([{ ...peppers[0], secret: Buffer.alloc(32, 7) }]);
});

test("they are not remembered past their file", async () => {
  const read = pepperReader(folder);
  const text = await readFile(folder.secrets);
  await read();
  await rm(folder.secrets);
  await expect(read()).rejects.toThrow(DataError);
  await expect(read()).rejects.toThrow(DataError);
  await writeFile(folder.secrets, "{}");
  await expect(read()).rejects.toThrow(/does not hold what the service keeps in it/);
  await writeFile(folder.secrets, text);
  expect(await read()).toEqual(secrets.peppers);
});
