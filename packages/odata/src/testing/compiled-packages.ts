import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { isCompiled, marker, sourceHash } from "../../../../scripts/compiled.mjs";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const cache = join(root, "node_modules/.cache");
/** File with the id of the process that compiles: a lock. */
const lock = join(cache, "compiling");

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
      rmSync(lock, { force: true });
    }
  }
}

function compile(): void {
  const source = sourceHash();
  const { packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly packageManager: string;
  };
  const pnpm = ["-y", packageManager, "run", "build"];
  const { status, stdout, stderr } = spawnSync("npx", pnpm, { cwd: root, encoding: "utf8" });
  if (status !== 0) throw new Error(`the packages do not compile:\n${stdout}${stderr}`);
  writeFileSync(marker, source);
}

function tryLock(): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: "wx" });
    return true;
  } catch {
    if (!isRunning(holderOfLock())) rmSync(lock, { force: true });
    return false;
  }
}

/** Returns the id of the process that compiles; undefined if none does, or none has written it yet. */
function holderOfLock(): number | undefined {
  try {
    return Number(readFileSync(lock, "utf8")) || undefined;
  } catch {
    return undefined;
  }
}

function isRunning(pid: number | undefined): boolean {
  if (pid === undefined) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
