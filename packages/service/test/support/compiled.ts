import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const cache = join(root, "node_modules/.cache");
/** As old as the sources that the packages were last compiled from. */
const marker = join(cache, "compiled");
/** There while somebody compiles. */
const lock = join(cache, "compiling");

/** A lock as old as this, in milliseconds, is that of a process that died. */
const staleLock = 120_000;

let compiled: Promise<void> | undefined;

/**
 * Compile the packages as they are published, unless they are; once in a process. A program starts from these in half the time
 * that it takes from its source, and tests of the command line start hundreds.
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

/** Whether what is compiled is of the sources as they are. */
export const isCompiled = (): boolean => {
  try {
    return Number(readFileSync(marker, "utf8")) === newestSource();
  } catch {
    return false;
  }
};

/** When a source was last changed, in milliseconds since 1970. */
export const newestSource = (): number =>
  Math.max(
    ...readdirSync(join(root, "packages")).map((name) => newestIn(join(root, "packages", name, "src"))),
  );

const newestIn = (folder: string): number =>
  Math.max(
    ...readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
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
