import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CellCache } from "../../src/v1/cell-cache.ts";
import { ask, query } from "../support/ask.ts";
import { type Running, run } from "../support/running.ts";

type Cell = {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
  readonly count: number;
  readonly suppressed: boolean;
};
type MapGrid = {
  readonly cell_degrees: number;
  readonly minimum_cell_size: number;
  readonly cells: readonly Cell[];
};

/** Counts every cell, so that all of them can be compared. */
let exact: Running;
let suppressing: Running;
beforeAll(async () => {
  exact = await run({ CADASTRE_LISTINGS: "600", CADASTRE_MINIMUM_CELL_SIZE: "1" });
  suppressing = await run({ CADASTRE_LISTINGS: "600", CADASTRE_MINIMUM_CELL_SIZE: "5" });
});
afterAll(() => Promise.all([exact.stop(), suppressing.stop()]));

const send = ({ service, key }: Running, target: string, name: string) =>
  ask(service.baseUrl, target, { "x-api-key": key(name) });

async function gridOf(
  running: Running,
  options: Readonly<Record<string, string | number>>,
  name = "national",
): Promise<MapGrid> {
  const reply = await send(running, `/v1/map-grid${query(options)}`, name);
  expect([reply.status, reply.text.slice(0, 200)]).toEqual([200, expect.any(String)]);
  return (JSON.parse(reply.text) as { readonly data: MapGrid }).data;
}

async function countOf(filter: string, name: string): Promise<number> {
  const { text } = await send(exact, `/reso/odata/Property/$count${query({ $filter: filter })}`, name);
  return Number(text);
}

const within = ({ west, south, east, north }: Omit<Cell, "count" | "suppressed">) =>
  `Longitude ge ${west} and Longitude lt ${east} and Latitude ge ${south} and Latitude lt ${north}`;

describe.each(["national", "market", "coarse"])("for the key `%s`", (name) => {
  test.each<Record<string, string | number>>([
    {},
    { cells: 8 },
    { filter: "StandardStatus eq 'Active'", cells: 12 },
    { filter: "ListPrice gt 400000", box: "-125,25,-90,49.5", cells: 20 },
    { box: "-98.5,29.5,-97,31", cells: 40 },
  ])("the count of a cell is that of the collection: %j", async (options) => {
    const { cells, cell_degrees } = await gridOf(exact, options, name);
    const asked = options["filter"];
    const condition = typeof asked === "string" ? `(${asked}) and ` : "";
    for (const { count, suppressed, ...edges } of cells.filter(
      (_, i) => i % Math.ceil(cells.length / 12) === 0,
    )) {
      expect([edges, await countOf(condition + within(edges), name)]).toEqual([edges, count]);
      expect(suppressed).toBe(false);
      expect(edges.east - edges.west).toBeCloseTo(cell_degrees, 9);
    }
    if (options["box"] !== undefined) return;
    const located = await countOf(`${condition}Latitude ne null and Longitude ne null`, name);
    expect(cells.reduce((sum, { count }) => sum + count, 0)).toBe(located);
  });
});

test("a cell of few listings tells that it is one, and not their number", async () => {
  const [all, few] = [await gridOf(exact, { cells: 128 }), await gridOf(suppressing, { cells: 128 })];
  expect(few.minimum_cell_size).toBe(5);
  expect(few.cells).toEqual(
    all.cells.map((cell) => (cell.count < 5 ? { ...cell, count: 0, suppressed: true } : cell)),
  );
  expect(few.cells.some(({ suppressed }) => suppressed)).toBe(true);
  expect(few.cells.some(({ suppressed }) => !suppressed)).toBe(true);
});

test("no cell is finer than the mask of a place", async () => {
  const box = "-122.31,47.6,-122.3,47.61";
  expect((await gridOf(exact, { box, cells: 128 }, "coarse")).cell_degrees).toBe(0.01);
  expect((await gridOf(exact, { box: "-125,45,-116,49", cells: 2 }, "coarse")).cell_degrees).toBe(5);
});

test.each<[Record<string, string>, string, number, string]>([
  [{}, "state", 404, "not_found"],
  [{ box: "1,2,3" }, "national", 400, "invalid_box"],
  [{ box: "10,0,-10,20" }, "national", 400, "invalid_box"],
  [{ box: "-181,0,10,20" }, "national", 400, "invalid_box"],
  [{ cells: "0" }, "national", 400, "invalid_cells"],
  [{ cells: "129" }, "national", 400, "invalid_cells"],
  [{ filter: "Citty eq 'Austin'" }, "national", 400, "invalid_filter"],
  [{ filter: "City eq" }, "national", 400, "invalid_filter"],
  [{ nope: "1" }, "national", 400, "unknown_parameter"],
])("%j is refused for `%s`", async (options, name, status, code) => {
  const reply = await send(exact, `/v1/map-grid${query(options)}`, name);
  const { error, message } = JSON.parse(reply.text) as Record<string, string>;
  expect([reply.status, error]).toEqual([status, code]);
  if (options["filter"] === "Citty eq 'Austin'")
    expect(message).toMatch(/unknown property `Citty`.*position 0 to 5$/);
});

describe("the cache of counts", () => {
  const counts = (checkpoint: number, length: number) => ({ checkpoint, cells: new Int32Array(length) });

  test("has the last counts of a question", () => {
    const cache = new CellCache();
    cache.keep("a", counts(1, 3));
    cache.keep("a", counts(2, 6));
    expect(cache.find("a")).toEqual(counts(2, 6));
    expect(cache.find("b")).toBeUndefined();
  });

  test("keeps what was used last, up to its size", () => {
    const cache = new CellCache();
    for (const name of ["a", "b", "c"]) cache.keep(name, counts(1, 3 * 900_000));
    cache.find("a");
    cache.keep("d", counts(1, 3 * 900_000));
    expect(["a", "b", "c", "d"].map((name) => cache.find(name) !== undefined)).toEqual([
      true,
      false,
      true,
      true,
    ]);
    cache.keep("e", counts(1, 5_000_000));
    expect(cache.find("e")).toBeUndefined();
  });
});
