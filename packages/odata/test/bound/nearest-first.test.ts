import { describe, expect, test } from "vitest";
import { nearestPhases } from "../../src/compile/index.ts";
import { type BoundNode, type BoundQuery, bindQuery, parseFilter, parseOrderBy } from "../../src/index.ts";
import { homes } from "../support/places.ts";

const here = "geo.distance(Place,geography'Point(-97.74 30.27)')";
const there = "geo.distance(Place,geography'Point(-96.8 32.78)')";
const area = "geo.intersects(Place,geography'Polygon((0 0,2 0,2 2,0 2,0 0))')";

const query = (orderBy: string, more: { filter?: string; skip?: number; after?: readonly unknown[] } = {}) =>
  bindQuery(
    {
      orderBy: parseOrderBy(orderBy),
      filter: more.filter === undefined ? undefined : parseFilter(more.filter),
      top: 20,
      skip: more.skip ?? 0,
      after: more.after ?? null,
    },
    homes,
  );

/** The conditions that a phase adds: `lt 1000 ge 500`. */
function conditions({ filter }: BoundQuery): string {
  const compared = (node: BoundNode): readonly string[] => {
    if (node.kind === "Logical") return node.operands.flatMap(compared);
    const isAdded = node.kind === "Compare" && node.left.kind === "Call" && node.right.kind === "Constant";
    return isAdded ? [`${node.comparator} ${node.right.value as number | null}`] : [];
  };
  return compared(filter).join(" ");
}

const phases = (...args: Parameters<typeof query>) => nearestPhases(query(...args));
const shown = (...args: Parameters<typeof query>) => phases(...args)?.map(conditions);

describe("phases of an order from the nearest on", () => {
  test("are the rows without a place, the rings and the rest", () => {
    const all = shown(here) ?? [];
    expect(all.slice(0, 4)).toEqual(["eq null", "lt 500", "lt 1000 ge 500", "lt 2000 ge 1000"]);
    expect(all.slice(-2)).toEqual(["lt 4096000 ge 2048000", "ge 4096000"]);
    expect(shown(`geo.distance(geography'Point(0 0)',Place) asc,Rank desc`)).toHaveLength(all.length);
  });

  test("start at the ring of the last row, and only that one goes on after it", () => {
    const after = ["1500.5", 2, 7];
    const all = phases(`${here},Rank`, { after }) ?? [];
    expect(all.slice(0, 2).map(conditions)).toEqual(["lt 2000 ge 1000", "lt 4000 ge 2000"]);
    expect(all.map((phase) => phase.after)).toEqual([after, ...all.slice(1).map(() => null)]);
  });

  test.each([
    ["499.999", "lt 500"],
    ["500", "lt 1000 ge 500"],
    ["5e9", "ge 4096000"],
  ])("after %s m the first is %s", (last, expected) => {
    expect(shown(here, { after: [last, 7] })?.[0]).toBe(expected);
  });

  test("after a row without a place start with the others without one", () => {
    const after = [null, 7];
    const all = phases(here, { after }) ?? [];
    expect(all.slice(0, 2).map(conditions)).toEqual(["eq null", "lt 500"]);
    expect(all.slice(0, 2).map((phase) => phase.after)).toEqual([after, null]);
  });

  test.each([
    [`${here} le 1000`, ["lt 500 le 1000", "lt 1000 ge 500 le 1000", "ge 1000 le 1000"]],
    [`Rank eq 1 and ${here} lt 400 and ${here} lt 9999`, ["lt 400 lt 9999"]],
  ])("end where the filter %s does", (filter, expected) => {
    expect(shown(here, { filter })).toEqual(expected);
  });

  test.each([`${there} le 1000`, `${here} gt 1000`, `not (${here} le 1000)`, `${here} le 1000 or Rank eq 1`])(
    "do not end where the filter %s says nothing of it",
    (filter) => {
      expect(shown(here, { filter })?.at(-1)).toMatch(/^ge 4096000/);
    },
  );

  test.each([`${there} le 1000`, `1000 lt ${there}`, `Rank eq 1 and ${area}`, `${area} or ${there} lt 9`])(
    "leave out the rows without a place where the filter %s does",
    (filter) => {
      expect(shown(here, { filter })?.[0]).toMatch(/^lt 500/);
      expect(phases(here, { filter })).toHaveLength(15);
    },
  );

  test.each(["Place ne null", "Rank eq 1 and null ne Place"])(
    "look of the rows without a place only for points that are none where the filter %s leaves no others",
    (filter) => {
      const [missing] = phases(here, { filter }) ?? [];
      const points = (node: BoundNode): readonly boolean[] =>
        node.kind === "Logical"
          ? node.operands.flatMap(points)
          : node.kind === "Compare" && node.left.kind === "Call"
            ? node.left.args.flatMap((arg) => (arg.kind === "Property" ? [arg.property.nullable] : []))
            : [];
      expect(missing && points(missing.filter)).toEqual([false]);
    },
  );

  test.each([
    [here, "Place ne null"],
    [here, `${there} eq null`],
    [here, `not (${there} le 1000)`],
    [here, `not ${area}`],
    [here, `${area} or Rank eq 1`],
    ["geo.distance(Place,geography'Point(0 91)')", area],
  ])("of %s keep the rows without a place where the filter %s may let some through", (orderBy, filter) => {
    expect(shown(orderBy, { filter })?.[0]).toMatch(/^eq null/);
  });

  test("leave what is to be skipped to the caller", () => {
    for (const { skip, top } of phases(here, { skip: 30 }) ?? [])
      expect({ skip, top }).toEqual({ skip: 0, top: 50 });
  });

  test.each([`${here} desc`, "Rank", `Rank,${here}`, `${here} mul 2`])("there are none of %s", (orderBy) => {
    expect(phases(orderBy)).toBeNull();
  });
});
