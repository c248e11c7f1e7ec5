import { describe, expect, test } from "vitest";
import { deltaAfter, seedAfter } from "./support/chain.ts";
import { listings, makeDelivery } from "./support/deliveries.ts";
import { type Emptied, engines, load, postgresql, sqlite, withPostgres } from "./support/engines.ts";
import { runHere } from "./support/program.ts";
import { useServer } from "./support/server.ts";

const server = useServer();
withPostgres();

const rows = [{ Id: "P1" }, { Id: "P2" }];
const property = () => makeDelivery({ id: "prop", datasets: { property: rows } });
const partsAskedFor = () => server().requests.filter(({ url }) => url.includes("/download"));

/** Load, see it refused by the name of the table before a part is asked for, and see no byte changed. */
async function expectRefused(
  { target, all }: Emptied,
  table: string,
  query: string,
  code = "table_occupied",
) {
  const [before, asked] = [await all(query), partsAskedFor().length];
  const refused = load(server(), target, await property());
  await expect(refused).rejects.toMatchObject({
    code,
    message: expect.stringContaining(`\`${table}\``) as string,
  });
  expect(partsAskedFor()).toHaveLength(asked);
  expect(await all(query)).toEqual(before);
}

describe.each(engines)("$name", ({ name, begin, isAbsent }) => {
  const has = test.skipIf(isAbsent);

  has("a table of the user's own with rows is refused, and keeps them", async () => {
    const place = await begin();
    await place.exec(`create table property ("Id" text primary key, owner text);
      insert into property values ('mine', 'me')`);
    await expectRefused(place, "property", "select * from property");
    // The refusal leaves nothing behind, such as tables of the ledger.
    await expect(place.all("select * from cadastre_loads")).rejects.toThrow();
  });

  has("a view is refused", async () => {
    const place = await begin();
    await place.exec(
      `create table houses ("Id" text primary key); create view property as select * from houses`,
    );
    await expectRefused(place, "property", "select * from property");
  });

  has("an empty table is refused unless its primary key is the key of the dataset", async () => {
    const place = await begin();
    await place.exec('create table property (number integer primary key, "Id" text)');
    await expectRefused(place, "property", "select * from property");
    await place.exec('drop table property; create table property ("Id" text primary key, note text)');
    if (name === "DuckDB") {
      // A load would replace the table itself.
      await expectRefused(place, "property", "select * from property");
      return;
    }
    expect(await load(server(), place.target, await property())).toBe("new");
    expect(await place.all('select "Id", note from property order by 1')).toEqual([
      { Id: "P1", note: null },
      { Id: "P2", note: null },
    ]);
  });

  has.each([
    ["cadastre_tables", "create table cadastre_tables (name text primary key, seats integer)"],
    ["cadastre_loads", "create table cadastre_loads (weight integer)"],
  ])("a table of the user's own named %s is refused", async (table, create) => {
    const place = await begin();
    await place.exec(create);
    await expectRefused(place, table, `select * from ${table}`);
  });

  has("a table of the user's own where a delta would be staged is refused", async () => {
    const place = await begin();
    const seed = await seedAfter(undefined, { datasets: { listing: listings(3) } });
    await load(server(), place.target, seed);
    await place.exec("create table cadastre_rows (n integer); insert into cadastre_rows values (1)");
    const delta = await deltaAfter(seed, { datasets: { listing: listings(1, 3) } });
    const asked = partsAskedFor().length;
    await expect(load(server(), place.target, delta)).rejects.toMatchObject({ code: "table_occupied" });
    expect(partsAskedFor()).toHaveLength(asked);
    expect(await place.all("select n from cadastre_rows")).toHaveLength(1);
    expect(await place.all("select * from listing")).toHaveLength(3);
  });

  has("a table that was dropped is not begun anew by a delta", async () => {
    const place = await begin();
    const seed = await seedAfter(undefined, { datasets: { listing: listings(3) } });
    await load(server(), place.target, seed);
    await place.exec("drop table listing");
    const delta = await deltaAfter(seed, { datasets: { listing: listings(1, 3) } });
    await expect(load(server(), place.target, delta)).rejects.toMatchObject({ code: "table_foreign" });
  });

  has(
    "a table of the user's own in the place of one of the copy is refused, and keeps its rows",
    async () => {
      const place = await begin();
      const seed = await seedAfter(undefined, { datasets: { property: rows } });
      await load(server(), place.target, seed);
      const key = `"Id" ${name === "DuckDB" ? "varchar" : "text"} primary key`;
      const delta = await deltaAfter(seed, { datasets: { property: [{ Id: "P3" }] } });
      for (const [removal, owner] of [
        ["alter table property rename to old", "by renaming"],
        ["drop table property", "by dropping"],
      ]) {
        await place.exec(
          `${removal}; create table property (${key}); insert into property values ('${owner}')`,
        );
        await expectRefused(place, "property", "select * from property");
        await expect(load(server(), place.target, delta)).rejects.toMatchObject({
          code: "table_occupied",
          exitCode: 8,
        });
        expect(await place.all("select * from property")).toEqual([{ Id: owner }]);
      }
      const flags = ["pull", "--domain", "property", "--url", server().url, "--into", place.target];
      expect(await runHere(flags)).toMatchObject({
        code: 8,
        stderr: expect.stringContaining("`property`") as string,
      });
      await place.exec("delete from property");
      // DuckDB's loads replace tables.
      const code = name === "DuckDB" ? "table_occupied" : "table_foreign";
      await expect(load(server(), place.target, delta)).rejects.toMatchObject({ code });
      await place.exec("drop table property");
      expect(await load(server(), place.target, await property())).toBe("new");
      await expect(load(server(), place.target, delta)).rejects.toMatchObject({ code: "table_foreign" });
    },
  );

  has("a copy with an index and a comment of the user's, dumped and restored, is loaded on", async () => {
    const place = await begin();
    const seed = await seedAfter(undefined, { datasets: { property: rows } });
    await load(server(), place.target, seed);
    if (name !== "DuckDB") await place.exec('create index mine on property ("Id")');
    if (name === "PostgreSQL") await place.exec("comment on table property is 'the copy'");
    const restored = await place.restored();
    const delta = await deltaAfter(seed, { datasets: { property: [{ Id: "P3" }] } });
    expect(await load(server(), restored.target, delta)).toBe("new");
    expect(await restored.all("select * from property")).toHaveLength(3);
    const again = await seedAfter(delta, { datasets: { property: [{ Id: "P4" }] } });
    expect(await load(server(), restored.target, again)).toBe("new");
    expect(await restored.all('select "Id" from property')).toEqual([{ Id: "P4" }]);
  });

  has("a copy that an earlier version has loaded is known, and goes on", async () => {
    const place = await begin();
    const seed = await seedAfter(undefined, { datasets: { property: rows } });
    const text = new TextDecoder().decode(seed.bytes).replaceAll("'", "''");
    const { subscriptionId, generation, sequence } = seed.manifest;
    await place.exec(`create table cadastre_loads (
      stream text not null,
      generation bigint not null,
      sequence bigint not null,
      manifest_sha256 text not null,
      manifest text not null,
      loaded_at text not null,
      primary key (stream, generation, sequence)
    );
    create table cadastre_tables (name text primary key, stream text not null);
    create table property ("Id" ${name === "DuckDB" ? "varchar" : "text"} primary key);
    insert into property values ('P1'), ('P2');
    insert into cadastre_tables values ('property', '${subscriptionId}');
    insert into cadastre_loads values ('${subscriptionId}', ${generation}, ${sequence}, '${seed.sha256}', '${text}', '2026-11-21T05:00:00.000Z')`);
    expect(await load(server(), place.target, seed)).toBe("done");
    const delta = await deltaAfter(seed, {
      datasets: { property: [{ Id: "P3" }] },
      removals: { property: ["P1"] },
    });
    expect(await load(server(), place.target, delta)).toBe("new");
    expect(await place.all('select "Id" from property order by 1')).toEqual([{ Id: "P2" }, { Id: "P3" }]);
    const again = await seedAfter(delta, { datasets: { property: [{ Id: "P4" }] } });
    expect(await load(server(), place.target, again)).toBe("new");
    expect(await place.all('select "Id" from property')).toEqual([{ Id: "P4" }]);
  });

  has("a prefix has a copy of its own beside a table of the user's, and beside another copy", async () => {
    const place = await begin();
    await place.exec(`create table property ("Id" text primary key, owner text);
      insert into property values ('mine', 'me')`);
    const seed = await seedAfter(undefined, { datasets: { property: rows } });
    const delta = await deltaAfter(seed, {
      datasets: { property: [{ Id: "P3" }] },
      removals: { property: ["P1"] },
    });
    for (const prefix of ["a_", "b_"])
      expect(await load(server(), place.target, seed, { prefix })).toBe("new");
    expect(await load(server(), place.target, delta, { prefix: "b_" })).toBe("new");
    const keys = async (table: string) =>
      (await place.all(`select "Id" from ${table} order by 1`)).map(({ Id }) => Id);
    expect([await keys("property"), await keys("a_property"), await keys("b_property")]).toEqual([
      ["mine"],
      ["P1", "P2"],
      ["P2", "P3"],
    ]);
    expect(await place.all("select * from b_cadastre_loads")).toHaveLength(2);
    await expect(place.all("select * from cadastre_loads")).rejects.toThrow();
  });

  has.each(["x y", 'a"b', "9a", "ä", "x".repeat(33)])("%j is no prefix, and no schema", async (text) => {
    const { target } = await begin();
    for (const place of [{ prefix: text }, { schema: `${text}${text}` }])
      await expect(load(server(), target, await property(), place)).rejects.toMatchObject({ exitCode: 2 });
  });

  has("a schema has a copy of its own, which is made if need be", async () => {
    const place = await begin();
    await place.exec(`create table property ("Id" text primary key); insert into property values ('mine')`);
    const loaded = load(server(), place.target, await property(), { schema: "other" });
    if (name === "SQLite") {
      await expect(loaded).rejects.toMatchObject({ code: "table_place_unsupported", exitCode: 2 });
      return;
    }
    expect(await loaded).toBe("new");
    expect(await load(server(), place.target, await property(), { schema: "other" })).toBe("done");
    expect(await place.all("select * from other.property")).toHaveLength(2);
    expect(await place.all("select * from other.cadastre_loads")).toHaveLength(1);
    expect(await place.all("select * from property")).toHaveLength(1);
    await expect(place.all("select * from cadastre_loads")).rejects.toThrow();
  });

  has("the program refuses before it asks for an export, and says what helps", async () => {
    const place = await begin();
    await place.exec(`create table property ("Id" text primary key); insert into property values ('mine')`);
    const delivery = await property();
    server().deliveries.set("prop", delivery);
    const flags = ["pull", "--domain", "property", "--url", server().url, "--into", place.target];
    const asked = server().requests.length;
    const { code, stderr } = await runHere(flags);
    expect(stderr).toMatch(
      name === "SQLite"
        ? /^table_occupied: `property` (?!.*--schema).*--prefix/
        : /^table_occupied: `property` .*--schema.*--prefix/,
    );
    expect(code).toBe(8);
    expect(server().requests).toHaveLength(asked);
    expect(await runHere([...flags, "--prefix", "cadastre_"])).toMatchObject({ code: 0 });
    expect(await place.all("select * from cadastre_property")).toHaveLength(2);
    expect(await place.all("select * from property")).toHaveLength(1);
  });
});

describe.each(engines)("$name", ({ name, begin, isAbsent }) => {
  test.skipIf(isAbsent).each(name === "DuckDB" ? [""] : ["", "on delete restrict", "on delete set null"])(
    "a table of the user's that refers to one of the copy with %j is told before an export is asked for",
    async (action) => {
      const place = await begin();
      await load(server(), place.target, await makeDelivery({ id: "first", datasets: { property: rows } }));
      const type = name === "DuckDB" ? "varchar" : "text";
      await place.exec(`create table my_fav (k ${type} references property ("Id") ${action});
        insert into my_fav values ('P1')`);
      await expectRefused(place, "my_fav", "select * from my_fav", "table_referenced");
      const asked = server().requests.length;
      const flags = ["pull", "--domain", "property", "--url", server().url, "--into", place.target];
      const { code, stderr } = await runHere(flags);
      expect([code, stderr]).toEqual([8, expect.stringMatching(/^table_referenced: `my_fav` /)]);
      expect(server().requests).toHaveLength(asked);
    },
  );
});

describe.each([sqlite, postgresql])("$name", ({ begin, isAbsent }) => {
  test.skipIf(isAbsent)("a reference that is checked at the end of the load does not hinder it", async () => {
    const place = await begin();
    await load(server(), place.target, await makeDelivery({ id: "first", datasets: { property: rows } }));
    await place.exec(`create table my_fav (k text references property ("Id") deferrable initially deferred);
      insert into my_fav values ('P1')`);
    expect(await load(server(), place.target, await property())).toBe("new");
    expect(await place.all("select * from my_fav")).toEqual([{ k: "P1" }]);
  });

  test.skipIf(isAbsent)("a row that comes between check and load is seen", async () => {
    const place = await begin();
    await place.exec(`create table property ("Id" text primary key)`);
    let came = false;
    server().trick = async ({ url }) => {
      // The check has passed: the user's own program writes while parts are fetched.
      if (url.endsWith("/redeem") && !came) await place.exec("insert into property values ('mine')");
      came ||= url.endsWith("/redeem");
      return false;
    };
    const loaded = load(server(), place.target, await property());
    await expect(loaded).rejects.toMatchObject({ code: "table_occupied" });
    server().trick = () => false;
    expect(came).toBe(true);
    expect(await place.all("select * from property")).toEqual([{ Id: "mine" }]);
  });

  test.skipIf(isAbsent)("a table that comes between check and load is not written", async () => {
    const place = await begin();
    server().trick = async ({ url }) => {
      if (url.endsWith("/redeem"))
        await place.exec(`create table property ("Id" text primary key, owner text)`);
      if (url.endsWith("/redeem")) await place.exec("insert into property values ('mine', 'me')");
      return false;
    };
    const loaded = load(server(), place.target, await property());
    await expect(loaded).rejects.toMatchObject({ code: "table_occupied" });
    server().trick = () => false;
    expect(await place.all("select * from property")).toEqual([{ Id: "mine", owner: "me" }]);
  });
});

test("SQLite: a table whose name differs in letter case alone is refused", async () => {
  const place = await sqlite.begin();
  await place.exec(`create table Property (id integer); insert into Property values (1)`);
  await expectRefused(place, "property", "select * from Property");
});

test.each(["property", "Property", "PROPERTY"])(
  "SQLite: an empty table %s without a key is refused before an export is asked for",
  async (table) => {
    const place = await sqlite.begin();
    await place.exec(`create table ${table} (x)`);
    const asked = server().requests.length;
    const args = ["pull", "--domain", "property", "--url", server().url, "--into", place.target];
    const { code, stderr, stdout } = await runHere(args);
    expect(stderr).toMatch(/^table_occupied: `property` exists \(table without a primary key/);
    expect([code, stdout]).toEqual([8, ""]);
    expect(server().requests).toHaveLength(asked);
  },
);

test.each(["sqlite_", "SQLite_copy_"])("SQLite: %s is no prefix", async (prefix) => {
  const place = await sqlite.begin();
  const loaded = load(server(), place.target, await property(), { prefix });
  await expect(loaded).rejects.toMatchObject({ code: "table_place_invalid", exitCode: 2 });
});

test("SQLite: the journal mode of a database that is there stays as it is", async () => {
  const place = await sqlite.begin();
  await place.exec("create table mine (id integer)");
  await load(server(), place.target, await property());
  expect(await place.all("pragma journal_mode")).toEqual([{ journal_mode: "delete" }]);
});

test("a table whose rows go with those of the copy is told, and keeps them", async () => {
  const place = await sqlite.begin();
  await load(server(), place.target, await makeDelivery({ id: "first", datasets: { property: rows } }));
  await place.exec(`create table notes (id integer, property text references property ("Id") on delete cascade);
    insert into notes values (1, 'P1')`);
  await expectRefused(place, "notes", "select * from notes", "table_referenced");
});

describe.skipIf(postgresql.isAbsent)("PostgreSQL:", () => {
  test.each<readonly [string, string]>([
    ["a materialised view", `create materialized view property as select '1'::text as "Id"`],
    ["a partitioned table", `create table property ("Id" text primary key) partition by hash ("Id")`],
    [
      "a table with children",
      `create table property ("Id" text primary key); create table c () inherits (property)`,
    ],
    [
      "a foreign table",
      `create extension if not exists file_fdw; create server if not exists files foreign data wrapper file_fdw;
       create foreign table property ("Id" text) server files options (filename '/dev/null')`,
    ],
    ["a sequence", "create sequence property"],
  ])("%s is refused", async (_, create) => {
    const place = await postgresql.begin();
    await place.exec(create);
    const kind = "select relkind, relfilenode from pg_class where relname = 'property'";
    await expectRefused(place, "property", kind);
  });

  test("a table of the copy that its owner has partitioned is loaded on", async () => {
    const place = await postgresql.begin();
    await load(server(), place.target, await makeDelivery({ id: "first", datasets: { property: rows } }));
    await place.exec(`drop table property; create table property ("Id" text primary key) partition by hash ("Id");
      create table property_0 partition of property for values with (modulus 1, remainder 0)`);
    expect(await load(server(), place.target, await property())).toBe("new");
    expect(await place.all("select * from property_0")).toHaveLength(2);
  });

  test.each(["pg_catalog", "pg_temp", "information_schema"])("%s is no schema for a copy", async (schema) => {
    const { target } = await postgresql.begin();
    const loaded = load(server(), target, await property(), { schema });
    await expect(loaded).rejects.toMatchObject({ code: "table_place_invalid" });
  });

  test("a table whose name differs in letter case is another table", async () => {
    const place = await postgresql.begin();
    await place.exec(`create table "Property" (id integer); insert into "Property" values (1)`);
    expect(await load(server(), place.target, await property())).toBe("new");
    expect(await place.all('select * from "Property"')).toHaveLength(1);
  });

  test("a table whose rows go with those of the copy is told, and keeps them", async () => {
    const place = await postgresql.begin();
    await load(server(), place.target, await makeDelivery({ id: "first", datasets: { property: rows } }));
    await place.exec(`create table notes (id integer, property text references property ("Id") on delete cascade);
      insert into notes values (1, 'P1')`);
    await expectRefused(place, "notes", "select * from notes", "table_referenced");
  });

  test("a copy in a later schema of the search path is found there", async () => {
    const place = await postgresql.begin();
    await load(server(), place.target, await property());
    await place.exec("create schema other");
    const target = `${place.target}${place.target.includes("?") ? "&" : "?"}options=-csearch_path%3Dother,public`;
    expect(await load(server(), target, await property())).toBe("done");
  });
});
