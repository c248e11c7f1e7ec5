import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { makeBackup } from "../../src/backup/backup.ts";
import { useFolder } from "../../src/backup/folder-use.ts";
import { restoreBackup, verifyBackup } from "../../src/backup/restore.ts";
import { checkFolder } from "../../src/check/check.ts";
import type { Finding } from "../../src/check/findings.ts";
import { type Config, readConfig } from "../../src/config.ts";
import { DataError, withDataFolder } from "../../src/data/data-error.ts";
import { type DataFolder, dataFolderAt } from "../../src/data/data-folder.ts";
import { startService } from "../../src/service.ts";
import { ask } from "../support/ask.ts";
import { customerOf } from "../support/deliveries.ts";
import { flipBit } from "../support/flip-bit.ts";
import { type Running, run } from "../support/running.ts";

let scratch: string;
let running: Running;
let source: { readonly folder: DataFolder; readonly config: Config };
/** A delivery that was complete before the backup, and the bytes of its first part. */
let delivered: { readonly id: string; readonly bytes: Buffer };
let backup: string;

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "cadastre-backup-"));
  backup = join(scratch, "backup");
  running = await run({ CADASTRE_LISTINGS: "60" });
  source = running;
  const customer = customerOf(running);
  const id = await customer.complete();
  delivered = { id, bytes: await customer.fetched(id, 0) };
}, 60_000);
afterAll(async () => {
  await running.stop();
  await rm(scratch, { recursive: true, force: true });
});

const environmentOf = (path: string) => ({
  PORT: "0",
  CADASTRE_DATA: path,
  CADASTRE_LOG_LEVEL: "silent",
  CADASTRE_LISTINGS: "60",
});

const findingsIn = async (path: string): Promise<readonly Finding[]> => {
  const findings: Finding[] = [];
  for await (const one of checkFolder(dataFolderAt(path), readConfig(environmentOf(path))))
    findings.push(one);
  return findings;
};

describe("a backup of a service that answers", () => {
  test("is whole, its owner's alone, and passes its own check", async () => {
    // A folder need not have this file.
    await rm(source.folder.demo);
    const { files, bytes, missing } = await makeBackup(source, backup);
    expect(missing).toEqual([]);
    const manifest = await verifyBackup(backup);
    expect(manifest).toMatchObject({ files, bytes, missing: 0, parts: "folder" });
    for (const entry of await readdir(backup, { recursive: true, withFileTypes: true })) {
      const { mode } = await stat(join(entry.parentPath, entry.name));
      expect([entry.name, mode & 0o777]).toEqual([entry.name, entry.isDirectory() ? 0o700 : 0o600]);
    }
    expect(await readdir(backup)).toEqual(
      expect.arrayContaining([
        "backup.json",
        "exports",
        "listings.sqlite",
        "registry.sqlite",
        "secrets.json",
      ]),
    );
    expect(await readdir(scratch)).toEqual(["backup"]);
  });

  test("is restored to a folder that serves the same keys, records and deliveries", async () => {
    const path = join(scratch, "restored");
    const { replaced } = await restoreBackup(backup, readConfig(environmentOf(path)));
    expect(replaced).toBeUndefined();
    expect(await findingsIn(path)).toEqual([]);
    const config = readConfig(environmentOf(path));
    const service = await startService(config, dataFolderAt(path));
    const again = { ...running, service, folder: dataFolderAt(path), config };
    try {
      const target =
        "/reso/odata/Property?$select=ListingKey,ListPrice,ModificationTimestamp&$top=1000&$count=true";
      const read = async (url: string) => {
        const reply = await ask(url, target, { "x-api-key": running.key("national") });
        return [reply.status, reply.text.replaceAll(url, "")];
      };
      const before = await read(running.service.baseUrl);
      expect(before[0]).toBe(200);
      expect(await read(service.baseUrl)).toEqual(before);
      expect(await customerOf(again).fetched(delivered.id, 0)).toEqual(delivered.bytes);
      expect(await customerOf(again).finished(await customerOf(again).created())).toBe("complete");
    } finally {
      await service.stop();
    }
  }, 60_000);

  test("names the parts that are damaged or gone, and has everything else", async () => {
    const path = join(scratch, "rotten");
    await restoreBackup(backup, readConfig(environmentOf(path)));
    const folder = dataFolderAt(path);
    const config = readConfig(environmentOf(path));
    const [one, other] = (
      await readdir(join(folder.exports, "parts"), { recursive: true, withFileTypes: true })
    )
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
    if (one === undefined || other === undefined) throw new Error("too few parts");
    await writeFile(one, "rotten");
    await rm(other);
    const { missing } = await makeBackup({ folder, config }, join(scratch, "partial-backup"));
    expect(missing.map((part) => part.missing).toSorted()).toEqual(["absent", "damaged"]);
    expect(await verifyBackup(join(scratch, "partial-backup"))).toMatchObject({ missing: 2 });
    expect((await findingsIn(path)).map(({ code }) => code).toSorted()).toEqual([
      "part_damaged",
      "part_missing",
    ]);
  });
});

describe("a backup is refused", () => {
  const fileOf = async (name: string) => {
    await writeFile(join(scratch, name), "");
    return join(scratch, name);
  };
  /** The disk is full as soon as SQLite writes the first copy. */
  const fullDisk = () => {
    vi.spyOn(Database.prototype, "backup").mockRejectedValueOnce(
      Object.assign(new Error("database or disk is full"), { code: "SQLITE_FULL" }),
    );
    return join(scratch, "full-disk");
  };

  test("into a folder that is not empty", async () => {
    await mkdir(join(scratch, "full"));
    await writeFile(join(scratch, "full", "file"), "");
    await expect(makeBackup(source, join(scratch, "full"))).rejects.toThrow(
      /full is not empty: choose a folder/,
    );
  });

  test("into the data folder", async () => {
    await expect(makeBackup(source, join(source.folder.path, "backup"))).rejects.toThrow(
      /lies in .*, which is backed up/,
    );
  });

  test.each<[string, () => string | Promise<string>, RegExp]>([
    ["into what is no disk", () => "/proc/x", /written to \/proc\/x: there is no such file or folder/],
    ["into a file", () => fileOf("a-file"), /written to .*a-file: it is a file/],
    [
      "two below a file",
      async () => join(await fileOf("c-file"), "a", "b"),
      /c-file\/a\/b: its folder is a file/,
    ],
    [
      "below a file",
      async () => join(await fileOf("b-file"), "backup"),
      /written to .*b-file\/backup: \/.*b-file is a file/,
    ],
    ["into a full disk", () => fullDisk(), /written to .*full-disk: the disk is full \(SQLITE_FULL\)/],
  ])("%s, by the path of the backup", async (_, target, sentence) => {
    const refused = withDataFolder(source.folder.path, async () => makeBackup(source, await target()));
    await expect(refused).rejects.toThrow(sentence);
    await expect(refused).rejects.toThrow(DataError);
    await expect(refused).rejects.not.toThrow(/CADASTRE_DATA/);
  });

  test("beside what another one has left", async () => {
    await mkdir(join(scratch, "other.partial"));
    await expect(makeBackup(source, join(scratch, "other"))).rejects.toThrow(/other\.partial exists/);
    expect(existsSync(join(scratch, "other"))).toBe(false);
  });
});

describe("a restore is refused", () => {
  const copied = async (name: string) => {
    const path = join(scratch, name);
    await makeBackup(source, path);
    return path;
  };

  test("of a folder without a manifest: a backup that was cut off", async () => {
    const path = await copied("cut");
    await rm(join(path, "backup.json"));
    await expect(restoreBackup(path, readConfig(environmentOf(join(scratch, "a"))))).rejects.toThrow(
      /is not a complete backup/,
    );
  });

  test.each(["backup.json", "files.jsonl", "listings.sqlite", "secrets.json"])(
    "of a backup with a flipped bit in %s",
    async (name) => {
      const path = await copied(`flipped-${name}`);
      const file = join(path, name);
      await flipBit(file, (await stat(file)).size >> 1, 2);
      const data = join(scratch, `b-${name}`);
      await expect(restoreBackup(path, readConfig(environmentOf(data)))).rejects.toThrow(
        /use another backup/,
      );
      await expect(verifyBackup(path)).rejects.toThrow(/use another backup/);
      expect(existsSync(join(data, "registry.sqlite"))).toBe(false);
    },
  );

  test("over data, which --replace keeps", async () => {
    const path = join(scratch, "occupied");
    const config = readConfig(environmentOf(path));
    await restoreBackup(backup, config);
    await writeFile(dataFolderAt(path).demo, "{}");
    await expect(restoreBackup(backup, config)).rejects.toThrow(/holds data already, .*--replace/);
    const { replaced, replacedParts } = await restoreBackup(backup, config, { replace: true });
    expect(replacedParts).toBe(join(path, "exports", basename(replaced ?? "")));
    expect(existsSync(join(replacedParts ?? "", "parts"))).toBe(true);
    expect(await readFile(join(replaced ?? "", "demo.json"), "utf8")).toBe("{}");
    // The backup has none.
    expect(existsSync(dataFolderAt(path).demo)).toBe(false);
  });

  test("while a service uses the folder", async () => {
    await expect(restoreBackup(backup, source.config, { replace: true })).rejects.toThrow(
      /is in use: stop the service/,
    );
  });
});

describe("a restore beside what others have made", () => {
  const restore = (path: string, parts?: string) =>
    restoreBackup(backup, { dataFolder: path, partsFolder: parts }, { replace: true });

  test("puts each state aside under a name of its own, also two of one second", async () => {
    const path = join(scratch, "often");
    await restore(path);
    const kept: string[] = [];
    for (let k = 0; k < 4; k++) {
      await writeFile(join(path, "demo.json"), String(k));
      kept.push((await restore(path)).replaced ?? "");
    }
    expect(await Promise.all(kept.map((place) => readFile(join(place, "demo.json"), "utf8")))).toEqual([
      "0",
      "1",
      "2",
      "3",
    ]);
  });

  test("leaves a folder of another's alone", async () => {
    const [path, parts] = [join(scratch, "beside"), join(scratch, "disk")];
    const own = join(parts, "restoring", "mine");
    await mkdir(join(parts, "restoring"), { recursive: true });
    await writeFile(own, "mine");
    await expect(restore(path, parts)).rejects.toThrow("no restore has made it");
    expect(await readFile(own, "utf8")).toBe("mine");
    expect(existsSync(join(path, "registry.sqlite"))).toBe(false);
    const found = checkFolder(
      source.folder,
      readConfig({ ...environmentOf(source.folder.path), CADASTRE_PARTS: parts }),
    );
    for await (const { code } of found) expect(code).not.toBe("restore_leftover");
  });

  test("that was cut off is finished with the parts where they were", async () => {
    const [path, parts] = [join(scratch, "interrupted"), join(scratch, "interrupted-parts")];
    const config = { dataFolder: path, partsFolder: parts };
    const cut = (point: string) => {
      if (point === "begun") throw new Error("cut off");
    };
    await expect(restoreBackup(backup, config, { at: cut })).rejects.toThrow("cut off");
    const folder = dataFolderAt(path);
    await expect(useFolder(folder, { partsFolder: undefined })).rejects.toThrow("CADASTRE_PARTS");
    (await useFolder(folder, { partsFolder: parts })).release();
    expect(existsSync(join(parts, "parts"))).toBe(true);
    expect(await findingsIn(path)).not.toEqual([]);
    const found = checkFolder(folder, readConfig({ ...environmentOf(path), CADASTRE_PARTS: parts }));
    expect(await found.next()).toMatchObject({ done: true });
  });
});
