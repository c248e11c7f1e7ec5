import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { makeBackup } from "../../src/backup/backup.ts";
import { restoreBackup } from "../../src/backup/restore.ts";
import { checkFolder } from "../../src/check/check.ts";
import { type Config, readConfig } from "../../src/config.ts";
import { DataError } from "../../src/data/data-error.ts";
import { type DataFolder, dataFolderAt } from "../../src/data/data-folder.ts";
import { withRegistry } from "../../src/data/registry.ts";
import { claimPlace, markerName } from "../../src/delivery/parts-place.ts";
import { startService } from "../../src/service.ts";
import { ask } from "../support/ask.ts";
import { cadastre } from "../support/cli.ts";
import { customerOf } from "../support/deliveries.ts";
import { runProgram } from "../support/program.ts";
import { type Running, run } from "../support/running.ts";
import { dropDatabase, runSql } from "../support/sql.ts";
import { copyDataFolder, onFiles, withDatabase } from "../support/test-database.ts";

/*
 * The parts lie on a disk of their own, mounted at `parts`. To unmount it, its folder is renamed, and the mount point is an empty folder
 * that can be written.
 */

let scratch: string;
let parts: string;
let running: Running;
let isRunning: boolean;
beforeEach(async () => {
  scratch = await mkdtemp(join(tmpdir(), "cadastre-parts-"));
  parts = join(scratch, "parts");
  running = await run({ CADASTRE_LISTINGS: "20", CADASTRE_PARTS: parts });
  isRunning = true;
  await customerOf(running).complete();
}, 60_000);
afterEach(async () => {
  if (isRunning) await running.stop();
  else await rm(running.folder.path, { recursive: true, force: true });
  await rm(scratch, { recursive: true, force: true });
});

async function stop(): Promise<void> {
  isRunning = false;
  await running.service.stop();
}

async function unmount(): Promise<void> {
  await rename(parts, `${parts}.away`);
  await mkdir(parts);
}

async function mount(): Promise<void> {
  await rm(parts, { recursive: true });
  await rename(`${parts}.away`, parts);
}

const configOf = ({ path }: DataFolder, root = parts): Config =>
  readConfig(
    withDatabase({ PORT: "0", CADASTRE_DATA: path, CADASTRE_PARTS: root, CADASTRE_LOG_LEVEL: "silent" }),
  );

/** Starts and stops a service; gives the message with which the start was refused. */
async function start(folder: DataFolder, root = parts): Promise<string | undefined> {
  try {
    const service = await startService(configOf(folder, root), folder);
    await service.stop();
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(DataError);
    return (error as DataError).message;
  }
}

async function findings(folder: DataFolder, root = parts): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { code } of checkFolder(folder, configOf(folder, root))) found.push(code);
  return found;
}

const damaged = (folder: DataFolder) => runSql(folder, "registry", "select * from cadastre_damage");

/** Content of a new registry, which has no parts. */
async function newFolder(name: string): Promise<DataFolder> {
  const folder = await copyDataFolder(running.folder, join(scratch, name));
  await dropDatabase(folder, "registry");
  await rm(folder.secrets);
  await withRegistry(folder, async () => {});
  return folder;
}

describe("a disk of parts that is not mounted", () => {
  test("refuses the start, is found by `cadastre check`, and loses nothing", async () => {
    await stop();
    await unmount();
    const message = `${parts} is not the folder of this registry's parts: it has no ${markerName}, and none of the`;
    expect(await start(running.folder)).toContain(message);
    const environment = { CADASTRE_DATA: running.folder.path, CADASTRE_PARTS: parts };
    const program = await runProgram("main.ts", [], { ...environment, PORT: "0" });
    expect([program.code, program.stderr]).toEqual([1, expect.stringContaining(message)]);
    const worker = await cadastre(["worker"], { environment });
    expect([worker.code, worker.stderr]).toEqual([1, expect.stringContaining(message)]);
    expect(await findings(running.folder)).toEqual(["parts_foreign"]);
    expect(await readdir(parts)).toEqual([]);
    expect(await damaged(running.folder)).toEqual([]);
    await mount();
    expect(await start(running.folder)).toBeUndefined();
    expect(await findings(running.folder)).toEqual([]);
  });

  test("while the service runs is told by readiness, and loses nothing", async () => {
    const national = customerOf(running);
    const id = await national.complete();
    const [part] = (await national.manifest(id)).data.parts;
    const grant = () => national.grant(id, part?.number ?? 0);
    const redeem = async (token: string) => (await national.redeem(token)).status;
    const [first, second] = [await grant(), await grant()];
    await unmount();
    expect(await redeem(first)).toBe(503);
    const reasons = async () =>
      (JSON.parse((await ask(running.service.baseUrl, "/health/ready")).text) as { reasons?: string[] })
        .reasons;
    await expect.poll(reasons, { timeout: 30_000 }).toEqual(["parts_foreign"]);
    expect(await damaged(running.folder)).toEqual([]);
    expect(await readdir(parts)).toEqual([]);
    await mount();
    await expect.poll(reasons, { timeout: 30_000 }).toBeUndefined();
    expect(await redeem(second)).toBe(200);
  }, 60_000);

  test("and is lost for good is begun anew by a command", async () => {
    await stop();
    await rm(parts, { recursive: true });
    expect(await start(running.folder)).toContain("cadastre parts adopt");
    const environment = { CADASTRE_DATA: running.folder.path, CADASTRE_PARTS: parts };
    expect(await cadastre(["parts", "adopt"], { environment })).toMatchObject({ code: 0 });
    expect(await start(running.folder)).toBeUndefined();
    expect((await findings(running.folder))[0]).toBe("part_missing");
  });
});

test("a folder of parts is shared by no two data folders", async () => {
  await stop();
  const other = await newFolder("other");
  expect(await start(other)).toContain(`its ${markerName} names another registry`);
  expect(await findings(other)).toContain("parts_foreign");
  expect(await start(other, join(scratch, "own"))).toBeUndefined();
  expect(await start(running.folder)).toBeUndefined();
});

test("the parts of a registry are in one folder, or in one bucket", async () => {
  await stop();
  const { folder } = running;
  const others = join(scratch, "others");
  expect(await start(folder, others)).toMatch(
    /others is not the folder of .*: it has no cadastre-parts.json, and/,
  );
  // A folder of the same registry that another node has claimed at the same time.
  const marker = JSON.parse(await readFile(join(parts, markerName), "utf8")) as object;
  await mkdir(others);
  await writeFile(join(others, markerName), JSON.stringify({ ...marker, folder: "another" }));
  expect(await start(folder, others)).toContain("the other nodes have them in another folder");
  expect(await findings(folder, others)).toContain("parts_foreign");

  const environment = { CADASTRE_DATA: folder.path, CADASTRE_PARTS_BUCKET: "s3://bucket/of/parts" };
  const config = readConfig({ ...environment, PORT: "0", CADASTRE_LOG_LEVEL: "silent" });
  const startWithBucket = async (bucket: string) => {
    const service = await startService({ ...config, partsBucket: { bucket, prefix: "of/parts" } }, folder);
    await service.stop();
  };
  await expect(startWithBucket("bucket")).rejects.toThrow(
    /^s3:\/\/bucket\/of\/parts is not the bucket of this registry's parts, which are in a folder: .* `cadastre parts adopt`/,
  );
  expect(await cadastre(["parts", "adopt"], { environment })).toMatchObject({ code: 0 });
  await startWithBucket("bucket");
  await expect(startWithBucket("other")).rejects.toThrow("which are in s3://bucket/of/parts: ");
  expect(await start(folder)).toContain("they are in s3://bucket/of/parts");
});

test("nodes that claim two new folders at once share none: one of them is refused", async () => {
  await stop();
  const folders = await Promise.all(
    ["one", "two"].map(async (name) => ({ ...(await newFolder(name)), path: join(scratch, name) })),
  );
  const [one] = folders;
  const places = ["a", "b"].map((name) => join(scratch, name));
  const claims = await Promise.allSettled(
    places.map((place) =>
      withRegistry(one as DataFolder, (registry) => claimPlace(place, one as DataFolder, registry)),
    ),
  );
  expect(claims.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  const shared = await Promise.allSettled(
    ["x", "y"].map(() =>
      withRegistry(folders[1] as DataFolder, (registry) =>
        claimPlace(join(scratch, "shared"), folders[1] as DataFolder, registry),
      ),
    ),
  );
  expect(shared.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled"]);
});

test("a folder of an earlier version, which has no marker, gets one", async () => {
  await stop();
  const marker = await readFile(join(parts, markerName), "utf8");
  await rm(join(parts, markerName));
  expect(await start(running.folder)).toBeUndefined();
  expect(await readFile(join(parts, markerName), "utf8")).toBe(marker);
});

test("a marker that is damaged is told", async () => {
  await stop();
  await writeFile(join(parts, markerName), "{");
  expect(await start(running.folder)).toContain(`its ${markerName} is damaged`);
  expect(await findings(running.folder)).toEqual(["parts_foreign"]);
});

test.runIf(onFiles)(
  "a restore of files marks the folder of parts, and moves no other registry's parts aside",
  async () => {
    const backup = join(scratch, "backup");
    await makeBackup(running, backup);
    await stop();
    const [path, root] = [join(scratch, "restored"), join(scratch, "restored-parts")];
    await restoreBackup(backup, { dataFolder: path, partsFolder: root });
    expect(await readdir(path)).not.toContain("restoring");
    expect(await findings(dataFolderAt(path), root)).toEqual([]);
    expect(await start(dataFolderAt(path), root)).toBeUndefined();

    const other = await newFolder("other");
    const others = join(scratch, "others-parts");
    expect(await start(other, others)).toBeUndefined();
    const again = { dataFolder: join(scratch, "again"), partsFolder: others };
    await expect(restoreBackup(backup, again, { replace: true })).rejects.toThrow(
      `holds the parts of another registry (${markerName})`,
    );
    expect(await start(other, others)).toBeUndefined();
    // In its own place it is replaced, with its parts.
    await restoreBackup(backup, { dataFolder: other.path, partsFolder: others }, { replace: true });
    expect(await findings(other, others)).toEqual([]);
  },
);
