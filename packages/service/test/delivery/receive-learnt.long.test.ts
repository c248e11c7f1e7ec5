import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sampleSystems } from "@cadastre/sample/catalog";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDataFolder } from "../../src/data/data-folder.ts";
import { databasesOf } from "../../src/data/databases.ts";
import { servedRecords } from "../../src/ingest/served.ts";
import { cadastre } from "../support/cli.ts";
import { customerOf, readLines } from "../support/deliveries.ts";
import { runClient } from "../support/program.ts";
import { type Running, run } from "../support/running.ts";
import { onFiles } from "../support/test-database.ts";

type Row = Readonly<Record<string, unknown>>;

let source: Running;
let files: string;
beforeAll(async () => {
  source = await run({ CADASTRE_LISTINGS: "80" });
  files = await mkdtemp(join(tmpdir(), "cadastre-learnt-"));
}, 120_000);
afterAll(async () => {
  await rm(files, { recursive: true });
  await source.stop();
});

/** Runs `cadastre` for the service that receives. */
async function own(...args: readonly string[]): Promise<string> {
  const environment = {
    CADASTRE_CONFIG: join(files, "cadastre.yaml"),
    SOURCE_KEY: source.key("national"),
    ...(args[0] === "init" ? {} : { CADASTRE_DATA: join(files, "data") }),
  };
  const { code, stdout, stderr } = await cadastre(args, { environment });
  expect([args, code, stderr]).toEqual([args, 0, expect.any(String)]);
  return stdout;
}

const withoutEmpty = (record: Row): Row =>
  Object.fromEntries(
    Object.entries(record).filter(
      ([, value]) => value !== null && !(Array.isArray(value) && value.length === 0),
    ),
  );

describe.runIf(onFiles)("a service with no system", () => {
  test("learns two of five systems from a source, and has their records with all local fields, from every format", async () => {
    const taken = sampleSystems.slice(0, 2);
    await own("init", "--yes", "--port", "8090", "--issuer-key", join(files, "private-key.json"));
    for (const { id, name, states, prefix, datasetId } of taken) {
      const place = ["--states", states.join(), "--prefix", prefix, "--dataset", datasetId];
      await own("system", "add", id, "--name", name, ...place);
      const from = ["--metadata", `${source.service.baseUrl}/reso/odata`, "--header-name", "x-api-key"];
      const learnt = ["--key-env", "SOURCE_KEY", "--own-prefix", "--apply", "--yes"];
      expect(await own("system", "learn", id, ...from, ...learnt)).toMatch(
        /\d\d local to add, 0 known already/,
      );
    }
    const asks = customerOf(source);
    const { rows } = await readLines<Row>(asks, await asks.complete({ domain: "listing" }));
    const names = new Set<unknown>(taken.map(({ name }) => name));
    const wanted = (rows.get("listing") ?? []).filter((row) => names.has(row["OriginatingSystemName"]));
    const locals = new Set(
      wanted.flatMap((row) => Object.keys(withoutEmpty(row))).filter((name) => name.includes("_")),
    );
    expect(locals.size).toBeGreaterThan(60);
    for (const format of ["jsonl", "csv", "parquet"]) {
      const into = join(files, format);
      const args = ["pull", "--domain", "listing", "--profile", `listing-${format}`, "--into", into];
      const key = { CADASTRE_API_KEY: source.key("national") };
      const pulled = await runClient([...args, "--url", source.service.baseUrl], key);
      expect([pulled.code, pulled.stderr]).toEqual([0, expect.any(String)]);
      await own("receive", into, "--systems", taken.map(({ id }) => id).join());
      const folder = await openDataFolder(join(files, "data"), undefined);
      const store = await databasesOf(folder).openListings({ threads: 0 });
      try {
        const fields = store.catalog.resource("Property").fields.map(({ name }) => name);
        const keys = wanted.map((row) => String(row["ListingKey"]));
        const found = await servedRecords(store, "Property", keys, fields);
        expect(wanted.filter((row) => !found.has(String(row["ListingKey"])))).toEqual([]);
        for (const row of wanted)
          expect(withoutEmpty(found.get(String(row["ListingKey"])) ?? {})).toEqual(withoutEmpty(row));
      } finally {
        await store.close();
      }
    }
  }, 300_000);
});
