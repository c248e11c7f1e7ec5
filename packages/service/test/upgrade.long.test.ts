import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { restrict } from "@cadastre/entitlement";
import { bindQuery, parseFilter, parseOrderBy } from "@cadastre/odata";
import { compilePackages } from "@cadastre/odata/testing";
import { sampleCatalog } from "@cadastre/sample/catalog";
import type { StoredResource } from "@cadastre/store";
import { openSqliteStore } from "@cadastre/store/sqlite";
import { afterEach, describe, expect, test } from "vitest";
import { catalogVersion, storedResources } from "../src/catalog.ts";
import { readConfig } from "../src/config.ts";
import { DataError } from "../src/data/data-error.ts";
import type { DataFolder } from "../src/data/data-folder.ts";
import { databasesOf } from "../src/data/databases.ts";
import { migrateFolder } from "../src/data/migrate-folder.ts";
import { withRegistry } from "../src/data/registry.ts";
import { readSecrets } from "../src/data/secrets.ts";
import { prepareDemoAccess } from "../src/demo/demo-access.ts";
import { systemScope } from "../src/identity/system-scope.ts";
import { startService } from "../src/service.ts";
import { ask, query, toCollection } from "./support/ask.ts";
import { end, says, startProgram } from "./support/program.ts";
import {
  columnsOf,
  contentOf,
  copyFolder,
  reading,
  releases,
  removeFolder,
  unpackRelease,
} from "./support/release.ts";
import { type BegunWalk, walkFrom } from "./support/walks.ts";

const folders: DataFolder[] = [];
const keep = async (folder: Promise<DataFolder>): Promise<DataFolder> => {
  folders.push(await folder);
  return folder;
};
afterEach(async () => {
  for (const folder of folders.splice(0)) await removeFolder(folder);
});

/** Points of a migration that is killed: `CASES=10` for more. */
const points = Number(process.env["CASES"] ?? 2);

const silent = () => {};

/** What a folder's databases hold, in the columns that they have at present. */
function holdings({ database, registry }: DataFolder) {
  const columns = { database: columnsOf(database), registry: columnsOf(registry) };
  return () => ({
    database: contentOf(database, columns.database),
    registry: contentOf(registry, columns.registry),
  });
}

/** The hash of each serving build, and that of the records as they are. */
const buildHashes = ({ database }: DataFolder) =>
  reading(database, (open) => {
    const builds = open
      .prepare(`select resource, sha256 from cadastre_build b
      where ordinal = (select max(ordinal) from cadastre_build where resource = b.resource)`)
      .raw()
      .all() as [string, string][];
    return builds.map(([resource, noted]) => {
      let sum = 0n;
      const rows = open
        .prepare(`select coalesce((select dataset_id from cadastre_dataset where number = "DatasetId"), ''), cadastre_record
        from "${resource}"`)
        .raw()
        .all() as [string, string][];
      for (const [dataset, text] of rows)
        sum += BigInt(`0x${createHash("sha256").update(`${dataset} ${text}`).digest("hex")}`);
      return { resource, noted, found: (sum % (1n << 256n)).toString(16).padStart(64, "0") };
    });
  });

describe.each(releases)("a data folder of release %s", (release) => {
  test("is migrated with every row, after a copy, and once", async () => {
    const folder = await keep(unpackRelease(release));
    const before = await keep(copyFolder(folder));
    const held = holdings(folder);
    const content = held();
    const steps: string[] = [];
    await migrateFolder(folder, (step) => steps.push(step));
    expect(held()).toEqual(content);
    expect(steps).toContain("Property: removing index Property_City_ListPrice");
    expect(steps).toContain("Property: building index Property_DatasetId_City_ListPrice");

    const copies = await readdir(folder.backups);
    expect(copies).toEqual([
      expect.stringMatching(new RegExp(`^listings-before-${catalogVersion}-\\d{8}T\\d{9}Z\\.sqlite$`)),
      expect.stringMatching(new RegExp(`^registry-before-${catalogVersion}-\\d{8}T\\d{9}Z\\.sqlite$`)),
    ]);
    const copy = { ...folder, database: join(folder.backups, copies[0] ?? "") };
    expect(holdings(copy)().database).toEqual(holdings(before)().database);

    const again: string[] = [];
    await migrateFolder(folder, (step) => again.push(step));
    expect(again).toEqual([]);
    expect(await readdir(folder.backups)).toEqual(copies);
    const hashes = buildHashes(folder);
    expect(hashes).toEqual(buildHashes(before));
    const property = hashes.find(({ resource }) => resource === "Property");
    expect(property?.found).toBe(property?.noted);
  });

  test("serves its key, its builds and the parts of its delivery", async () => {
    const folder = await keep(unpackRelease(release));
    const demo = JSON.parse(await readFile(folder.demo, "utf8")) as {
      readonly keys: readonly { readonly apiKey: string }[];
    };
    const apiKey = demo.keys[0]?.apiKey ?? "";
    await migrateFolder(folder, silent);
    // As if a gate had come with this version.
    reading(folder.database, (open) =>
      open.exec(`update cadastre_build set evidence = json_remove(evidence, '$.gates[1]')`),
    );
    const secrets = await readSecrets(folder);
    await withRegistry(folder, (registry) => prepareDemoAccess(folder, registry, secrets, Date.now()));
    const config = readConfig({
      PORT: "0",
      CADASTRE_DATA: folder.path,
      CADASTRE_LOG_LEVEL: "silent",
      CADASTRE_WORKER: "false",
    });
    const service = await startService(config, folder);
    try {
      const get = (target: string) => ask(service.baseUrl, target, { "x-api-key": apiKey });
      const sets = toCollection(await get("/reso/odata")).value.map(({ name }) => name);
      expect(sets).toEqual(["Property", "Media", "Member", "Office", "OpenHouse", "Lookup"]);
      const counted = toCollection(await get(`/reso/odata/Property${query({ $top: 0, $count: true })}`));
      const listings = reading(folder.database, (open) =>
        open
          .prepare(`select count(*) from "Property" where "DatasetId" in
          (select number from cadastre_dataset where dataset_id not like '00000000%')`)
          .pluck()
          .get(),
      );
      expect(counted["@odata.count"]).toBe(listings);
      const parts = reading(
        folder.registry,
        (open) => open.prepare("select sha256 from cadastre_delivery_part").pluck().all() as string[],
      );
      expect(parts.length).toBeGreaterThan(0);
      for (const sha256 of parts) {
        const bytes = await readFile(join(folder.exports, "parts", sha256.slice(0, 2), sha256));
        expect(createHash("sha256").update(bytes).digest("hex")).toBe(sha256);
      }
    } finally {
      await service.stop();
    }
  });

  test("goes on with the walks that it has begun, or refuses their tokens, and never serves other records", async () => {
    const folder = await keep(unpackRelease(release));
    const golden = new URL(`golden/walks-${release}.json`, import.meta.url);
    const walks = JSON.parse(await readFile(golden, "utf8")) as readonly BegunWalk[];
    const versions = () =>
      reading(folder.registry, (open) => open.prepare("select version from cadastre_customer").pluck().all());
    const before = versions();
    await migrateFolder(folder, silent);
    const secrets = await readSecrets(folder);
    const [known] = await withRegistry(folder, (registry) =>
      prepareDemoAccess(folder, registry, secrets, Date.now()),
    );
    const config = readConfig({ PORT: "0", CADASTRE_DATA: folder.path, CADASTRE_LOG_LEVEL: "silent" });
    const service = await startService({ ...config, worker: false }, folder);
    try {
      const served = { baseUrl: service.baseUrl, apiKey: known?.apiKey ?? "" };
      // The entitlements of the fixture last a year, and new ones end walks.
      const refusals = [
        { status: 400, code: "invalid_skip_token" },
        { status: 403, code: "entitlement_changed" },
      ];
      const isSame = JSON.stringify(versions()) === JSON.stringify(before);
      for (const walk of walks) {
        const found = await walkFrom(served, walk);
        if (isSame) expect(found).toEqual(walk.rest);
        else expect([walk.rest, ...refusals]).toContainEqual(found);
      }
      const [walk] = walks;
      const forged = {
        key: walk?.key ?? "",
        next: (walk?.next ?? "").replace(/.$/, (last) => (last === "A" ? "B" : "A")),
      };
      expect(await walkFrom(served, forged)).toEqual(refusals[0]);
    } finally {
      await service.stop();
    }
  });

  test("is refused by what does not migrate, and says what does", async () => {
    const folder = await keep(unpackRelease(release));
    const held = holdings(folder);
    const content = held();
    const opened = databasesOf(folder).openListings({ threads: 0 });
    await expect(opened).rejects.toThrow(/is of an earlier version: .*npm run cadastre -- migrate/);
    await expect(opened).rejects.toBeInstanceOf(DataError);
    expect(held()).toEqual(content);
  });

  test("is left as it is where no copy can be made", async () => {
    const folder = await keep(unpackRelease(release));
    const held = holdings(folder);
    const content = held();
    await writeFile(folder.backups, "");
    await expect(migrateFolder(folder, silent)).rejects.toThrow(
      /is not migrated, because it cannot be copied to/,
    );
    expect(held()).toEqual(content);
    expect(columnsOf(folder.database)).not.toHaveProperty("cadastre_schema");
    await rm(folder.backups);
    await migrateFolder(folder, silent);
    expect(held()).toEqual(content);
  });

  test("is migrated once by two that start at the same time", async () => {
    const folder = await keep(unpackRelease(release));
    const held = holdings(folder);
    const content = held();
    await Promise.all([migrateFolder(folder, silent), migrateFolder(folder, silent)]);
    expect(held()).toEqual(content);
    expect(await readdir(folder.backups)).toHaveLength(2);
  });

  test("killed at points of its migration is the old one or the new one, and comes to its end", {
    timeout: 900_000,
  }, async () => {
    const pristine = await keep(unpackRelease(release));
    const content = holdings(pristine)();
    const counting = await keep(copyFolder(pristine));
    let steps = 0;
    const count = () => {
      steps++;
    };
    await migrateFolder(counting, count, async () => count());
    const states = new Set<string>();
    for (let point = 0; point < points; point++) {
      const folder = await keep(copyFolder(pristine));
      const held = holdings(folder);
      expect(await killedAt(folder, 1 + Math.round((point * (steps - 1)) / (points - 1)))).toBe("SIGKILL");
      expect(reading(folder.database, (open) => open.pragma("integrity_check", { simple: true }))).toBe("ok");
      expect(held()).toEqual(content);
      states.add(stateOf(folder));
      const copies = await readdir(folder.backups);
      if (point > 0) expect(copies.filter((name) => /^listings-.*\.sqlite$/.test(name))).toHaveLength(1);
      await migrateFolder(folder, silent);
      expect(stateOf(folder)).toBe("new");
      expect(held()).toEqual(content);
    }
    expect(states).toEqual(new Set(["old", "new"]));
  });

  test("goes on through a later catalog: a column, an index, one index less, the same answers", async () => {
    const folder = await keep(unpackRelease(release));
    await migrateFolder(folder, silent);
    const held = holdings(folder);
    const content = held();
    const before = await answersOf(folder, storedResources(sampleCatalog), catalogVersion);
    const after = await answersOf(folder, laterResources, catalogVersion + 1);
    expect(after).toEqual(before);
    expect(before.flat().length).toBeGreaterThan(50);
    expect(held()).toEqual(content);
    const { columns, indexes } = reading(folder.database, (open) => ({
      columns: open
        .prepare(
          `select count(*) from "Property" where "ListAgentFullName" is distinct from cadastre_record ->> 'ListAgentFullName'`,
        )
        .pluck()
        .get(),
      indexes: open
        .prepare("select name from sqlite_schema where tbl_name = 'Property' and type = 'index'")
        .pluck()
        .all(),
    }));
    expect(columns).toBe(0);
    expect(indexes).toContain("Property_ListAgentFullName");
    for (const name of ["Property_City_ListPrice", "Property_DatasetId_City_ListPrice"])
      expect(indexes).not.toContain(name);
    await expect(databasesOf(folder).openListings({ threads: 0 })).rejects.toThrow(
      /was written by a later version: start that version/,
    );
  });

  test("of another catalog, with records of its own, is not replaced by a start", {
    timeout: 120_000,
  }, async () => {
    const folder = await keep(unpackRelease(release));
    reading(folder.database, (open) =>
      open.exec(`insert or replace into cadastre_note values ('fingerprint', 'of another catalog')`),
    );
    const held = holdings(folder);
    const { database } = held();
    const program = await startProgram("main.ts", [], {
      CADASTRE_DATA: folder.path,
      CADASTRE_LISTINGS: "10",
      PORT: "0",
    });
    await says(program, "Stop with Ctrl-C.");
    expect(await end(program, "SIGTERM")).toBe(0);
    expect(program.output()).toMatch(/^Migrating: copying /m);
    expect(program.output()).not.toContain("Preparing");
    expect(held().database).toEqual(database);
  });
});

const dist = (file: string) => JSON.stringify(new URL(`../dist/data/${file}.js`, import.meta.url));
/** A program that runs what is compiled, which starts in a fraction of the time that the source takes. */
const killed = `
import { openDataFolder } from ${dist("data-folder")};
import { migrateFolder } from ${dist("migrate-folder")};

const [path, last] = process.argv.slice(1);
let steps = 0;
const step = () => {
  if (++steps === Number(last)) process.kill(process.pid, "SIGKILL");
};
await migrateFolder(await openDataFolder(path), step, async () => step());
`;

/** Migrate a folder in a process that dies at a step; gives the signal that it died of. */
async function killedAt({ path }: DataFolder, step: number): Promise<NodeJS.Signals | null> {
  await compilePackages();
  const child = spawn(process.execPath, ["--input-type=module", "--eval", killed, path, String(step)], {
    stdio: "inherit",
  });
  const [, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
  return signal;
}

/** `new` if everything is on record, `old` if nothing is. */
const stateOf = ({ database }: DataFolder): string =>
  reading(database, (open) => {
    if (open.prepare("select 1 from sqlite_schema where name = 'cadastre_schema'").get() === undefined)
      return "old";
    const recorded = open.prepare("select count(distinct resource) from cadastre_schema").pluck().get();
    return recorded === storedResources(sampleCatalog).length ? "new" : "neither";
  });

/** The catalog as a later release might have it. */
const laterResources: readonly StoredResource[] = storedResources(sampleCatalog).map((resource) =>
  resource.entitySet.name === "Property"
    ? {
        ...resource,
        columns: [...resource.columns, "ListAgentFullName"],
        indexes: [
          ...resource.indexes.filter((columns) => columns.join() !== "DatasetId,City,ListPrice"),
          ["ListAgentFullName"],
        ],
      }
    : resource,
);

/** Keys of what some queries find, read with a catalog. */
async function answersOf(
  { database: file }: DataFolder,
  resources: readonly StoredResource[],
  version: number,
) {
  const store = await openSqliteStore({ file, resources, version, threads: 0 });
  try {
    const property = sampleCatalog.entitySet("Property");
    const queries = [
      { orderBy: "ListPrice desc" },
      { filter: "City ge 'M'", orderBy: "City,ListPrice" },
      { filter: "ListAgentFullName ge 'M'", orderBy: "ListAgentFullName" },
      { filter: "geo.distance(Coordinates,geography'POINT(-97.7 30.3)') lt 300000" },
    ];
    const answers: unknown[][] = [];
    for (const { filter, orderBy } of queries) {
      const bound = bindQuery(
        {
          filter: filter === undefined ? undefined : parseFilter(filter),
          orderBy: orderBy === undefined ? undefined : parseOrderBy(orderBy),
          top: 1000,
        },
        property,
      );
      const page = await store.page(restrict(bound, systemScope(sampleCatalog)));
      answers.push(JSON.parse(`[${Buffer.from(page.records).toString()}]`) as unknown[]);
    }
    return answers;
  } finally {
    await store.close();
  }
}
