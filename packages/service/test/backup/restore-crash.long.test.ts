import { spawnSync } from "node:child_process";
import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compileProgram } from "@cadastre/odata/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeBackup } from "../../src/backup/backup.ts";
import { hashFile } from "../../src/backup/copy-file.ts";
import { useFolder } from "../../src/backup/folder-use.ts";
import { restoreBackup } from "../../src/backup/restore.ts";
import { checkFolder } from "../../src/check/check.ts";
import type { Finding } from "../../src/check/findings.ts";
import { readConfig } from "../../src/config.ts";
import { dataFolderAt } from "../../src/data/data-folder.ts";
import { customerOf } from "../support/deliveries.ts";
import { run } from "../support/running.ts";
import type { RestoreTask } from "./restore-process.ts";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const program = await compileProgram(fileURLToPath(new URL("restore-process.ts", import.meta.url)));

/** Two states of a service: what a restore replaces, and the backup that it restores. */
let scratch: string;
let states: { readonly before: string; readonly after: string };
let points: number;

/** The files that the service works with, by their paths and hashes. */
async function stateOf(path: string): Promise<string> {
  const files: string[] = [];
  for (const entry of await readdir(path, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name).slice(path.length + 1);
    if (!entry.isFile() || /^(lock|(exports\/)?(replaced|restoring))|-shm$/.test(file)) continue;
    files.push(`${file} ${(await hashFile(join(path, file))).sha256}`);
  }
  return files.toSorted().join("\n");
}

const copyOf = async (name: string) => {
  const path = join(scratch, name);
  await cp(join(scratch, "live"), path, { recursive: true });
  return path;
};

/** Restores in a process of its own, and gives the number of points that it came to; undefined if it was killed. */
function restoreIn(dataFolder: string, killAt: number): number | undefined {
  const task: RestoreTask = { backup: join(scratch, "backup"), dataFolder, killAt };
  const { signal, stdout, stderr } = spawnSync(process.execPath, [program, JSON.stringify(task)], {
    cwd: root,
    encoding: "utf8",
  });
  if (signal === "SIGKILL") return undefined;
  expect(stderr).toBe("");
  return Number(stdout);
}

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "cadastre-restore-"));
  const running = await run({ CADASTRE_LISTINGS: "20" });
  const customer = customerOf(running);
  await customer.complete();
  const { folder, config } = running;
  await makeBackup({ folder, config }, join(scratch, "backup"));
  await customer.complete({ domain: "property" });
  await makeBackup({ folder, config }, join(scratch, "later"));
  await running.stop();
  const to = (name: string) => ({ dataFolder: join(scratch, name), partsFolder: undefined });
  await restoreBackup(join(scratch, "later"), to("live"));
  await restoreBackup(join(scratch, "backup"), to("restored"));
  states = { before: await stateOf(to("live").dataFolder), after: await stateOf(to("restored").dataFolder) };
  points = restoreIn(await copyOf("counted"), Infinity) ?? 0;
}, 120_000);
afterAll(() => rm(scratch, { recursive: true, force: true }));

/** Points from the first to the last: `CASES=10` for more. */
const cases = Array.from({ length: Number(process.env["CASES"] ?? 2) }, (_, i) => i);

test("the two states differ, and a restore leads from one to the other", async () => {
  expect(states.before).not.toBe(states.after);
  expect(await stateOf(join(scratch, "counted"))).toBe(states.after);
  expect(points).toBeGreaterThanOrEqual(cases.length);
});

test.each(cases)(
  "killed at point %i it leaves the old state or the new one, and runs again",
  async (nth) => {
    const killAt = 1 + Math.round((nth * (points - 1)) / (cases.length - 1));
    const path = await copyOf(`killed-${nth}`);
    expect(restoreIn(path, killAt)).toBeUndefined();
    const again = await cpAgain(path, `again-${nth}`);

    // A start finishes what was begun.
    const config = readConfig({ CADASTRE_DATA: path });
    (await useFolder(dataFolderAt(path), config)).release();
    expect([states.before, states.after]).toContain(await stateOf(path));
    const findings: Finding[] = [];
    for await (const one of checkFolder(dataFolderAt(path), config))
      if (one.code !== "restore_leftover") findings.push(one);
    expect(findings).toEqual([]);

    // So does the command.
    await restoreBackup(
      join(scratch, "backup"),
      { dataFolder: again, partsFolder: undefined },
      { replace: true },
    );
    expect(await stateOf(again)).toBe(states.after);
  },
  30_000,
);

async function cpAgain(path: string, name: string): Promise<string> {
  const to = join(scratch, name);
  await cp(path, to, { recursive: true });
  return to;
}
