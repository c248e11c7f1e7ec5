import { existsSync, utimesSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { reportError } from "../src/cli/outcome.ts";
import { withLock } from "../src/fetch/lock.ts";
import { emptyFolder } from "./support/folders.ts";

/** Returns the path of something to lock, and the content of a lock that this process holds on it. */
async function lockedPath() {
  const path = join(emptyFolder(), "delivery");
  const content = await withLock(path, () => readFile(`${path}.lock`, "utf8"));
  return { path, file: `${path}.lock`, owner: JSON.parse(content) as Readonly<Record<string, unknown>> };
}

const isFree = (path: string) => withLock(path, () => Promise.resolve(true));
const inUse = { code: "staging_in_use", exitCode: 4 };

test("one run at a time has a lock, and gives it back after a failure as well", async () => {
  const path = join(emptyFolder(), "delivery");
  await withLock(path, async () => {
    await expect(isFree(path)).rejects.toMatchObject(inUse);
    await expect(isFree(path)).rejects.toThrow(`process ${process.pid}`);
    expect(await isFree(`${path}-2`)).toBe(true);
  });
  await expect(withLock(path, () => Promise.reject(new Error("x")))).rejects.toThrow("x");
  expect(await isFree(path)).toBe(true);
  expect(existsSync(`${path}.lock`)).toBe(false);
});

test.each([
  ["has ended", { pid: 2 ** 22 + 1 }],
  ["had the id of another process", { started: "1" }],
])("a lock is taken over from a process that %s", async (_, change) => {
  const { path, file, owner } = await lockedPath();
  writeFileSync(file, JSON.stringify(owner));
  await expect(isFree(path)).rejects.toMatchObject(inUse);
  writeFileSync(file, JSON.stringify({ ...owner, ...change }));
  expect(await isFree(path)).toBe(true);
});

test.each([
  ["of another machine", (owner: object) => JSON.stringify({ ...owner, machine: "elsewhere" })],
  ["whose owner is not written yet", () => ""],
])("a lock %s is taken over a minute after its last renewal", async (_, contentOf) => {
  const { path, file, owner } = await lockedPath();
  writeFileSync(file, contentOf(owner));
  await expect(isFree(path)).rejects.toMatchObject(inUse);
  const before = Date.now() / 1000 - 61;
  utimesSync(file, before, before);
  expect(await isFree(path)).toBe(true);
});

test("an error of a file that nobody expected is told with its file and what to do", async () => {
  const file = join(emptyFolder(), "none", "file");
  const failure = await readFile(file).catch((error: unknown) => error);
  const written = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  try {
    expect(reportError(failure, false)).toBe(7);
    expect(written.mock.calls.join("")).toContain(
      `disk_failed: ${file} cannot be read or written: there is no such file or folder (ENOENT)`,
    );
  } finally {
    written.mockRestore();
  }
});
