import { afterAll, describe, expect, test } from "vitest";
import {
  type BoundQuery,
  bindExpand,
  bindQuery,
  compileExpand,
  compilePage,
  type EntityType,
  expandRows,
  identifier,
  type Mapping,
  type PrimitiveType,
  parseCompute,
  parseExpand,
  parseFilter,
  parseOrderBy,
  parseSelect,
  relation,
  rtreeIndex,
  type StructuralProperty,
  sql,
  sqlite,
  tableMapping,
} from "../../src/index.ts";
import { hasPostgres } from "../../src/testing/postgres.ts";
import { type Estate, houses } from "../support/estate.ts";
import { openPostgresEstate, openSqliteEstate } from "../support/estate-engines.ts";
import { housesMapping } from "../support/estate-tables.ts";

const engines = {
  SQLite: openSqliteEstate(),
  PostgreSQL: hasPostgres ? await openPostgresEstate() : undefined,
};

afterAll(async () => {
  for (const engine of Object.values(engines)) await engine?.close();
});

const filtered = (text: string): BoundQuery => bindQuery({ filter: parseFilter(text), top: 10 }, houses);

describe.each(Object.entries(engines))("on %s", (_, engine) => {
  if (engine === undefined) return test.skip("no server is installed");
  const { dialect, run } = engine;
  const source = { entitySet: houses, mapping: housesMapping, dialect, run };

  test.each([
    ["Office/Name eq 'x'", ["Office"]],
    ["Office/Broker/Name eq 'x'", ["Office", "Agent"]],
    ["Rooms/any(r:r/Area gt 12)", ["RoomByParent"]],
    ["Rooms/$count gt 2", ["RoomByParent"]],
    ["Children/any(c:c/Name eq Name)", ["HouseByParentKey"]],
    ["Tags/any(t:t eq 'x')", ["HouseTagByParent"]],
    ['hassubset(Tags,["x"])', ["HouseTagByParent"]],
    ["Office/Agents/any(a:a/Age gt 3)", ["AgentByOfficeKey", "Office"]],
  ])("an index finds what %s is about", async (text, used) => {
    const plan = await engine.plan(compilePage(filtered(text), dialect, housesMapping));
    for (const name of used) expect(plan).toMatch(indexed(name));
  });

  test("indexes find the parents and the children of a level", async () => {
    const [item] = bindExpand(parseExpand("Rooms($orderby=Area;$top=1)"), houses);
    if (item === undefined) throw new Error("no item");
    const plan = await engine.plan(compileExpand(item, { ...source, keys: [[1]] }, dialect));
    expect(plan).toMatch(indexed("House"));
    expect(plan).toMatch(indexed("RoomByParent"));
  });

  test("a level is one statement, however many rows", async () => {
    const House = Array.from({ length: 70_000 }, (_, i) => ({ Key: i, Kind: "k", OfficeKey: i % 3 }));
    const Room = Array.from({ length: 5 }, (_, i) => ({ Key: i, Parent: 69_999, Kind: "k" }));
    const Office = [0, 1, 2].map((Key) => ({ Key, Name: `office ${Key}` }));
    await engine.load({ House, Office, Agent: [], Room } as Estate);
    const query = bindQuery({ select: parseSelect("Key"), top: 100_000 }, houses);
    const page = await run(compilePage(query, dialect, housesMapping, { key: true }));
    const statements: string[] = [];
    const expand = bindExpand(
      parseExpand("Rooms($select=Key;$skip=1;$top=2;$count=true),Office($select=Name;$expand=Houses/$count)"),
      houses,
    );
    const counting = {
      ...source,
      run: (compiled: Parameters<typeof run>[0]) => {
        statements.push(compiled.text);
        return run(compiled);
      },
    };
    const rows = await expandRows(page, expand, counting);
    expect(statements).toHaveLength(4);
    expect(rows).toHaveLength(70_000);
    expect(rows.at(-1)).toEqual({
      Key: 69_999,
      Rooms: [{ Key: 1 }, { Key: 2 }],
      "Rooms@odata.count": 5,
      Office: { Name: "office 0", "Houses@odata.count": 23_334 },
    });
    expect(rows[0]).toMatchObject({ Rooms: [], "Rooms@odata.count": 0 });
  });

  test("two rows where a path expects one are no error", async () => {
    const House = [1, 2].map((Key) => ({ Key, Name: "a", Kind: "k" }));
    await engine.load({ House, Office: [], Agent: [], Room: [] } as Estate);
    const twice = relation(() => housesMapping, { Kind: "Kind" });
    const mapping: Mapping = {
      ...housesMapping,
      path: (property) => (property.name === "Parent" ? twice : housesMapping.path?.(property)),
    };
    for (const text of ["Parent/Name eq 'a'", "Parent ne null", "Parent/Tags/$count eq 0"])
      expect(await run(compilePage(filtered(text), dialect, mapping)), text).toHaveLength(2);
    const page = await run(compilePage(filtered("true"), dialect, mapping, { key: true }));
    const expand = bindExpand(parseExpand("Parent($select=Name)"), houses);
    expect(await expandRows(page, expand, { ...source, mapping })).toMatchObject([
      { Parent: { Name: "a" } },
      { Parent: { Name: "a" } },
    ]);
  });

  test("JSON that is no object of the type is null, and no error", async () => {
    const others = [5, "abc", "{", [[]], { Parts: "abc", Inner: [1], Tags: { a: 1 }, Area: "x", Built: 3 }];
    const House = [...others, { Parts: [...others, null] }].map((Detail, i) => ({
      Key: i,
      Kind: "k",
      Detail,
      Parts: [Detail, null],
    }));
    await engine.load({ House, Office: [], Agent: [], Room: [] } as Estate);
    for (const text of [
      "Detail/Inner/Name eq 'x'",
      "Detail/Area add 1 gt 0 or Detail/Built gt 2024-01-01 or Detail/Fee gt 0",
      "Detail/Parts/any(p:p/Parts/any(q:q/Name eq 'x'))",
      "Parts/any(p:p/Tags/any(t:t eq 'x') or p/Inner/Tags/$count eq 9)",
      'hassubset(Detail/Tags,["x"])',
    ])
      expect(await run(compilePage(filtered(text), dialect, housesMapping)), text).toEqual([]);
  });

  test("the conditions of mappings hold for related rows, levels and their numbers", async () => {
    const House = [1, 2].map((Key) => ({ Key, Name: "a", Kind: "k", OfficeKey: Key, ParentKey: 1, Area: 0 }));
    const Office = [1, 2].map((Key) => ({ Key, Name: Key === 1 ? "a" : "gone" }));
    const Room = [1, 2, 3].map((Key) => ({ Key, Name: Key === 1 ? "a" : "gone", Parent: 1 }));
    await engine.load({ House, Office, Agent: [], Room } as Estate);
    const there = sql`"Name" <> 'gone'`;
    const offices: Mapping = { ...tableMapping("Office"), where: there };
    const rooms: Mapping = { ...tableMapping("Room"), where: there };
    const mapping: Mapping = {
      ...tableMapping(
        "House",
        {},
        {
          Office: relation(() => offices, { OfficeKey: "Key" }),
          Parent: relation(() => mapping, { ParentKey: "Key" }),
          Rooms: relation(() => rooms, { Key: "Parent" }),
        },
      ),
      where: there,
    };
    const keys = async (text: string) => {
      const query = bindQuery({ filter: parseFilter(text), select: parseSelect("Key"), top: 9 }, houses);
      return (await run(compilePage(query, dialect, mapping))).map(({ Key }) => Key);
    };
    expect(await keys("Office eq null")).toEqual([2]);
    expect(await keys("Office/Name eq null")).toEqual([2]);
    expect(await keys("Rooms/$count eq 1")).toEqual([1]);
    expect(await keys("Rooms/any(r:r/Name eq 'gone')")).toEqual([]);
    const expand = bindExpand(
      parseExpand("Rooms($select=Key;$top=9;$count=true),Office($select=Key),Parent($select=Key)"),
      houses,
    );
    const levels = async () => {
      const query = bindQuery({ select: parseSelect("Key"), top: 9 }, houses);
      const page = await run(compilePage(query, dialect, mapping, { key: true }));
      return expandRows(page, expand, { ...source, mapping });
    };
    const Rooms = [{ Key: 1 }];
    expect(await levels()).toEqual([
      { Key: 1, Rooms, "Rooms@odata.count": 1, Office: { Key: 1 }, Parent: { Key: 1 } },
      { Key: 2, Rooms: [], "Rooms@odata.count": 0, Office: null, Parent: { Key: 1 } },
    ]);
    const [item] = expand;
    if (item === undefined) throw new Error("no item");
    const level = { entitySet: houses, mapping: { ...mapping, where: sql`"Key" <> 1` }, keys: [[1], [2]] };
    expect(await run(compileExpand(item, level, dialect))).toEqual([]);
  });

  test("a path reads the folded text that a mapping keeps", async () => {
    const House = [1, 2].map((Key) => ({ Key, Kind: "k", OfficeKey: Key }));
    const Office = [1, 2].map((Key) => ({ Key, Name: Key === 1 ? "SMITH" : "Jones" }));
    await engine.load({ House, Office, Agent: [], Room: [] } as Estate);
    const folded: Mapping["folded"] = ({ name }) =>
      name === "Name" ? { sql: sql`lower("Name")` } : undefined;
    const offices: Mapping = { ...tableMapping("Office"), folded };
    const mapping = tableMapping("House", {}, { Office: relation(() => offices, { OfficeKey: "Key" }) });
    const query = bindQuery(
      { filter: parseFilter("Office/Name eq 'smIth'"), select: parseSelect("Key"), top: 9 },
      houses,
      [],
      { ignoreCase: true },
    );
    const compiled = compilePage(query, dialect, mapping);
    expect(compiled.text).toContain('lower("Name") as');
    expect(await run(compiled)).toEqual([{ Key: 1 }]);
  });

  test("a computed property does not capture the order by a column of its name", async () => {
    const House = [3, 1, 2].map((Key) => ({ Key, Kind: "k", Area: Key, OfficeKey: -Key }));
    await engine.load({ House, Office: [], Agent: [], Room: [] } as Estate);
    const mapping = tableMapping("House", { Fee: "Area" });
    const parts = {
      compute: parseCompute("-Key as area,-Key as Kind"),
      orderBy: parseOrderBy("Fee"),
      select: parseSelect("Key,area,Kind"),
      top: 9,
    };
    const rows = await run(compilePage(bindQuery(parts, houses), dialect, mapping));
    expect(rows.map(({ Key }) => Key)).toEqual([1, 2, 3]);
  });
});

describe("an index of points", () => {
  const property = (name: string, type: PrimitiveType): StructuralProperty => ({
    name,
    type,
    collection: false,
    nullable: name !== "Id",
  });
  const home: EntityType = {
    name: "Home",
    key: ["Id"],
    properties: new Map([
      ["Id", property("Id", "Edm.Int64")],
      ["Place", property("Place", "Edm.GeographyPoint")],
    ]),
    structured: new Map([["Near", { name: "Near", target: () => home, collection: true }]]),
  };
  const homes = { name: "Homes", type: home };
  const mapping: Mapping = {
    ...tableMapping("home", {}, { Near: relation(() => mapping, { Id: "Next" }) }),
    column: ({ name }) => ({
      sql: identifier(name),
      ...(name === "Place" ? { index: rtreeIndex("places", sql`rowid`, sql`"Place"`) } : {}),
    }),
  };
  const near = (point: string) => `geo.distance(${point},geography'Point(1 2)') lt 5`;
  const page = (text: string) =>
    compilePage(bindQuery({ filter: parseFilter(text), top: 1 }, homes), sqlite, mapping).text;

  test("finds the rows of a query", () => {
    expect(page(near("Place"))).toContain('"places"');
  });

  test("is not looked at beside other rows, where its key may be another's", () => {
    expect(page(`Near/any(n:${near("Place")})`)).not.toContain('"places"');
    expect(page(`Near/any(n:${near("n/Place")})`)).not.toContain('"places"');
    for (const item of bindExpand(parseExpand(`Near($filter=${near("Place")})`), homes)) {
      const { text } = compileExpand(item, { entitySet: homes, mapping, keys: [[1]] }, sqlite);
      expect(text).not.toContain('"places"');
    }
  });
});

describe("what a mapping does not say is refused", () => {
  const plain = tableMapping("House");

  test.each([
    "Office/Name eq 'x'",
    "Office eq null",
    "Rooms/any()",
    "Rooms/$count gt 1",
    "Address/City eq 'x'",
  ])("%s", (text) => {
    expect(() => compilePage(filtered(text), sqlite, plain)).toThrow(
      expect.objectContaining({ code: "not_supported" }),
    );
  });

  test("a level of `$expand`", () => {
    for (const item of bindExpand(parseExpand("Rooms"), houses)) {
      const from = { entitySet: houses, mapping: plain, keys: [[1]] };
      expect(() => compileExpand(item, from, sqlite)).toThrow("a path through `Rooms` is not supported");
    }
  });

  test("rows without their keys", async () => {
    const source = { entitySet: houses, mapping: housesMapping, dialect: sqlite, run: () => [] };
    const expand = bindExpand(parseExpand("Rooms"), houses);
    await expect(expandRows([{ Key: 1 }], expand, source)).rejects.toThrow("{ key: true }");
  });
});

/** That a plan reaches the table or the index by its columns. */
const indexed = (name: string): RegExp =>
  new RegExp(
    `(?:SEARCH \\S+|INDEX|Index (?:Only )?Scan using|Bitmap Index Scan on) (?:"?${name}"?\\b|.*${name}_pkey|.*autoindex_${name}_1)`,
  );
