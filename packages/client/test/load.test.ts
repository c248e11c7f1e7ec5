import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openTarget } from "@cadastre/client";
import type { Manifest } from "@cadastre/manifest";
import { hasPostgres } from "@cadastre/odata/testing";
import { describe, expect, test } from "vitest";
import { listings, makeDelivery, type Row } from "./support/deliveries.ts";
import { duckdb, engines, load, postgresql, sent, sqlite, withPostgres } from "./support/engines.ts";
import { emptyFolder } from "./support/folders.ts";
import { useServer } from "./support/server.ts";

const server = useServer();
const pool = withPostgres();

const seedOf = (generation: number, previous: Manifest["previous"], id: string, rows = 5) =>
  makeDelivery({
    id,
    datasets: { listing: listings(rows) },
    edit: (manifest) => ({ ...manifest, kind: "seed", subscriptionId: "subscription", generation, previous }),
  });

describe.each(engines)("$name", ({ name, formats, begin, isAbsent: absent }) => {
  test.skipIf(absent).each(formats)("has every cell of %s as it was sent", async (format) => {
    const { target, all } = await begin();
    const rows = listings(250);
    await load(
      server(),
      target,
      await makeDelivery({ format, datasets: { listing: rows, listing_media: [] } }),
    );
    const found = await all('select * from listing order by "ListingKey"');
    expect(found).toHaveLength(rows.length);
    for (const [k, row] of rows.entries()) {
      for (const [column, value] of Object.entries(row))
        expect(sent(found[k]?.[column], value)).toEqual(value);
      const held = Object.entries(found[k] ?? {}).filter(([, value]) => value !== null);
      expect(held).toHaveLength(Object.keys(row).length);
    }
    if (format !== "parquet") expect(await all("select count(*) as n from listing_media")).toHaveLength(1);
  });

  const has = test.skipIf(absent);

  has("a snapshot takes the place of the one before, and a new column is added", async () => {
    const { target, all } = await begin();
    await load(server(), target, await makeDelivery({ id: "first", datasets: { listing: listings(30) } }));
    const rows: readonly Row[] = listings(7, 100).map((row) => ({ ...row, Added: "new" }));
    expect(
      await load(server(), target, await makeDelivery({ id: "second", datasets: { listing: rows } })),
    ).toBe("new");
    const found = await all('select "ListingKey" as k, "Added" as a from listing order by 1');
    expect(found.map(({ k, a }) => [k, a])).toEqual(rows.map((row) => [row["ListingKey"], "new"]));
  });

  has(
    "the same again is done already; another manifest in its place is a conflict, and changes nothing",
    async () => {
      const { target, all } = await begin();
      const delivery = await makeDelivery({ id: "one", datasets: { listing: listings(5) } });
      expect(await load(server(), target, delivery)).toBe("new");
      expect(await load(server(), target, delivery)).toBe("done");
      const another = await makeDelivery({ id: "one", datasets: { listing: listings(6) } });
      await expect(load(server(), target, another)).rejects.toMatchObject({
        code: "ledger_conflict",
        exitCode: 6,
      });
      expect(
        await all("select stream, generation, sequence, manifest_sha256 from cadastre_loads"),
      ).toHaveLength(1);
      expect(Number((await all("select count(*) as n from listing"))[0]?.["n"])).toBe(5);
    },
  );

  has.each(["cadastre_loads", "customers", "Listing"])("a server cannot have %s emptied", async (dataset) => {
    const { target } = await begin();
    const made = await makeDelivery({ datasets: { [dataset]: [{ Id: "a" }] } });
    await expect(load(server(), target, made)).rejects.toMatchObject({
      code: "dataset_not_loadable",
      exitCode: 5,
    });
    expect(server().requests.at(-1)?.url).toMatch(/manifest$/);
  });

  has("two at once load a delivery once", async () => {
    const { target, all } = await begin();
    const delivery = await makeDelivery({ id: "both", datasets: { listing: listings(50) } });
    // A DuckDB file has one program at a time.
    const tries =
      name === "DuckDB"
        ? [await load(server(), target, delivery), await load(server(), target, delivery)]
        : undefined;
    const standings =
      tries ?? (await Promise.all([load(server(), target, delivery), load(server(), target, delivery)]));
    expect(standings).toContain("new");
    expect(await all("select * from cadastre_loads")).toHaveLength(1);
    expect(Number((await all("select count(*) as n from listing"))[0]?.["n"])).toBe(50);
  });

  has("what fails leaves data and ledger as they were", async () => {
    const { target, all } = await begin();
    await load(server(), target, await makeDelivery({ id: "good", datasets: { listing: listings(5) } }));
    const [one] = listings(1);
    const twice = await makeDelivery({ id: "twice", datasets: { listing: [one ?? {}, one ?? {}] } });
    await expect(load(server(), target, twice)).rejects.toMatchObject({ code: "target_failed", exitCode: 7 });
    expect(Number((await all("select count(*) as n from listing"))[0]?.["n"])).toBe(5);
    expect((await all("select stream from cadastre_loads")).map(({ stream }) => stream)).toEqual(["good"]);
  });

  has("seeds of one subscription follow one another, and nothing goes back", async () => {
    const { target } = await begin();
    const first = await seedOf(1, null, "seed1");
    const second = await seedOf(2, { generation: 1, sequence: 0, manifestSha256: first.sha256 }, "seed2");
    const forked = await seedOf(2, { generation: 1, sequence: 0, manifestSha256: second.sha256 }, "seed3");
    expect(await load(server(), target, first)).toBe("new");
    await expect(load(server(), target, forked)).rejects.toMatchObject({ code: "chain_fork" });
    expect(await load(server(), target, second)).toBe("new");
    expect(await load(server(), target, first)).toBe("done");
    await expect(load(server(), target, await seedOf(1, null, "seed4", 6))).rejects.toMatchObject({
      code: "ledger_conflict",
    });
    await expect(load(server(), target, await seedOf(3, null, "seed5"))).rejects.toMatchObject({
      code: "chain_fork",
    });
  });

  test.skipIf(absent || formats.includes("parquet"))(
    "does not take Parquet without a schema document",
    async () => {
      const { target } = await begin();
      await expect(load(server(), target, await makeDelivery({ format: "parquet" }))).rejects.toMatchObject({
        code: "format_not_loadable",
      });
    },
  );
});

test.runIf(hasPostgres)("PostgreSQL keeps every digit, and the types that its owner has chosen", async () => {
  const engine = await postgresql.begin();
  await pool()?.query(
    `create table listing ("ListingKey" text primary key, "ListPrice" numeric, "At" timestamptz, "City" text); create view dear as select * from listing`,
  );
  const digits = "12345678901234567.89";
  const delivery = await makeDelivery({
    datasets: { listing: [{ ListingKey: "a", ListPrice: 1.5, At: "2026-01-02T03:04:05Z" }] },
    spoil: (plain) => Buffer.from(plain.toString().replace("1.5", digits)),
  });
  await load(server(), engine.target, delivery);
  const [row] = (await pool()?.query<Row>(`select "ListPrice"::text as p, "At" from dear`))?.rows ?? [];
  expect(row).toEqual({ p: digits, At: new Date("2026-01-02T03:04:05Z") });
  await expect(
    load(
      server(),
      engine.target,
      await makeDelivery({ id: "x", datasets: { listing: [{ ListingKey: "a", City: [1] }] } }),
    ),
  ).rejects.toMatchObject({ code: "column_type" });
});

test("SQLite keeps integers of 64 bits, and lists with long numbers", async () => {
  const { target, all } = await sqlite.begin();
  const rows = [
    { ListingKey: "a", Id: 1, List: [1], Yes: true, Price: 3_000_000_000, Huge: 1e300, None: null },
  ];
  const long = "9007199254740993";
  const spoil = (plain: Buffer) => {
    const line = String(plain);
    const second = line.replace('"a"', '"b"').replace('"Id":1,', `"Id":${long},`).replace("[1]", `[${long}]`);
    return Buffer.from(line + second);
  };
  const edit = (manifest: Manifest): Manifest => ({
    ...manifest,
    datasets: manifest.datasets.map((dataset) => ({ ...dataset, rowCount: 2 })),
    parts: manifest.parts.map((part) => ({ ...part, rowCount: 2 })),
    totals: { ...manifest.totals, rowCount: 2 },
  });
  await load(server(), target, await makeDelivery({ datasets: { listing: rows }, spoil, edit }));
  const [first, second] = await all(
    'select cast("Id" as text) as i, "List" as l, "Yes" as y, typeof("Price") as t from listing order by 1',
  );
  expect(first).toEqual({ i: "1", l: "[1]", y: 1, t: "integer" });
  expect(second).toEqual({ i: long, l: `[${long}]`, y: 1, t: "integer" });
});

test("SQLite makes no number of a text, as the type of a column that is there would have it", async () => {
  const { target } = await sqlite.begin();
  await load(
    server(),
    target,
    await makeDelivery({ id: "a", datasets: { listing: [{ ListingKey: "a", Zip: 78701 }] } }),
  );
  const texts = await makeDelivery({ id: "b", datasets: { listing: [{ ListingKey: "a", Zip: "01001" }] } });
  await expect(load(server(), target, texts)).rejects.toMatchObject({ code: "column_type", exitCode: 7 });
});

test("Parquet with fewer rows than the manifest says is not loaded", async () => {
  const { target, all } = await duckdb.begin();
  const edit = (manifest: Manifest): Manifest => ({
    ...manifest,
    datasets: manifest.datasets.map((dataset) => ({ ...dataset, rowCount: 6 })),
    parts: manifest.parts.map((part) => ({ ...part, rowCount: 6 })),
    totals: { ...manifest.totals, rowCount: 6 },
  });
  const made = await makeDelivery({ format: "parquet", datasets: { listing: listings(5) }, edit });
  await expect(load(server(), target, made)).rejects.toMatchObject({
    code: "part_count_differs",
    exitCode: 5,
  });
  expect(await all("select * from cadastre_loads")).toEqual([]);
});

test("a folder's manifests are its ledger", async () => {
  const folder = emptyFolder();
  const first = await seedOf(1, null, "seed1");
  expect(await load(server(), folder, first)).toBe("new");
  expect(await load(server(), `folder:${folder}`, first)).toBe("done");
  await expect(load(server(), folder, await seedOf(1, null, "seed2", 6))).rejects.toMatchObject({
    code: "ledger_conflict",
  });
});

test.each([
  "postgres://user:secret@host/db",
  "postgres://host/db?password=secret",
  "mysql:db",
  "sqlite:",
  "",
])("%j is no target", async (text) => {
  await expect(openTarget(text)).rejects.toMatchObject({ code: "target_invalid" });
});

test("a target that cannot be opened says so", async () => {
  const nowhere = join(emptyFolder(), "no", "folder", "file");
  await expect(openTarget(`sqlite:${nowhere}`)).rejects.toMatchObject({ code: "target_failed" });
  const noDatabase = join(emptyFolder(), "text");
  writeFileSync(noDatabase, "this is no database, however long one looks at it".repeat(100));
  await expect(openTarget(`sqlite:${noDatabase}`)).rejects.toMatchObject({ code: "target_failed" });
  await expect(openTarget(`duckdb:${nowhere}`)).rejects.toMatchObject({ code: "target_failed" });
  await expect(openTarget("postgres://nobody@127.0.0.1:1/none")).rejects.toMatchObject({
    code: "target_failed",
  });
});
