import { spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync } from "node:fs";
import { chmod, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compilePackages } from "@cadastre/odata/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { useFolder } from "../src/backup/folder-use.ts";
import { openDataFolder } from "../src/data/data-folder.ts";

/*
 * A lock file that another user has made, as root does who tries a command. Only root can try it with two users; anybody else tries it
 * with a file of his own without rights.
 */

const isRoot = process.getuid?.() === 0;
const user = isRoot ? 65_534 : process.getuid?.();

let path: string;
beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), "cadastre-lock-"));
  if (isRoot) chownSync(path, 65_534, 65_534);
});
afterEach(() => rm(path, { recursive: true, force: true }));

const dist = (file: string) => JSON.stringify(new URL(`../dist/${file}.js`, import.meta.url));
const program = `
import { openDataFolder } from ${dist("data/data-folder")};
import { withDataFolder } from ${dist("data/data-error")};
import { useFolder } from ${dist("backup/folder-use")};
const path = process.argv[1];
await withDataFolder(path, async () => useFolder(await openDataFolder(path), {})).catch((error) => console.log(error.name + ": " + error.message));
`;

/** Output of a process of the service's user that uses the folder. */
async function usedByUser(): Promise<string> {
  await compilePackages();
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program, path], {
    cwd: "/",
    stdio: ["ignore", "pipe", "inherit"],
    ...(isRoot && { uid: 65_534, gid: 65_534 }),
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
  await once(child, "close");
  return output.trim();
}

test("a lock file of another user is told, with its owner and what to do", async () => {
  const lock = join(path, "lock");
  await writeFile(lock, "");
  await chmod(lock, 0);
  const remedy = isRoot
    ? `it belongs to the user 0, .* Run \`chown ${user} ${lock}\` as root`
    : "run `chmod 600";
  expect(await usedByUser()).toMatch(new RegExp(`^DataError: ${lock} cannot be read and written: ${remedy}`));
});

test("a lock file that root makes belongs to the owner of the folder", async () => {
  const folder = await openDataFolder(path);
  (await useFolder(folder, { partsFolder: undefined })).release();
  expect((await stat(folder.lock)).uid).toBe(user);
  expect(await usedByUser()).toBe("");
});
