import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const cache = join(root, "node_modules/.cache");
/** File with the modification time of the sources that the packages were last compiled from. */
const marker = join(cache, "compiled");
/** Folder that exists while a process compiles: a lock. */
const lock = join(cache, "compiling");

/** Age from which a lock is taken to be left by a process that died, in milliseconds. */
const staleLock = 120_000;

let compiled: Promise<void> | undefined;

/**
 * Compiles the packages as they are published, unless they are up to date; once per process. A compiled program starts in half the time of
 * its source, and tests of the command line start hundreds.
 */
export function compilePackages(): Promise<void> {
  compiled ??= compileUnlessCompiled();
  return compiled;
}

async function compileUnlessCompiled(): Promise<void> {
  mkdirSync(cache, { recursive: true });
  while (!isCompiled()) {
    if (!tryLock()) {
      await setTimeout(100);
      continue;
    }
    try {
      compile();
    } finally {
      rmdirSync(lock);
    }
  }
}

function compile(): void {
  const newest = newestSource();
  const { packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly packageManager: string;
  };
  const pnpm = ["-y", packageManager, "run", "build"];
  const { status, stdout, stderr } = spawnSync("npx", pnpm, { cwd: root, encoding: "utf8" });
  if (status !== 0) throw new Error(`the packages do not compile:\n${stdout}${stderr}`);
  writeFileSync(marker, String(newest));
}

/** True if the packages were compiled from the current sources. */
export const isCompiled = (): boolean => {
  try {
    return Number(readFileSync(marker, "utf8")) === newestSource();
  } catch {
    return false;
  }
};

/** Returns the latest modification time of the sources, in milliseconds since 1970. */
export const newestSource = (): number =>
  Math.max(
    ...readdirSync(join(root, "packages")).map((name) => newestIn(join(root, "packages", name, "src"))),
  );

const newestIn = (folder: string): number =>
  Math.max(
    ...readdirSync(folder, { recursive: true, withFileTypes: true })
      // Test support is not compiled.
      .filter((entry) => entry.isFile() && !entry.parentPath.startsWith(join(folder, "testing")))
      .map(({ parentPath, name }) => statSync(join(parentPath, name)).mtimeMs),
  );

function tryLock(): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch {
    if (Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? 0) > staleLock) rmdirSync(lock);
    return false;
  }
}
