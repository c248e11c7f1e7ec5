import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ask, query, toCollection, toError } from "./support/ask.ts";
import { type Running, run } from "./support/running.ts";

/** Small enough for groups of the sample, and more than one. */
const least = 5;

let running: Running;
let base: string;
beforeAll(async () => {
  running = await run({
    CADASTRE_LISTINGS: "400",
    CADASTRE_EXTENSIONS: "apply",
    CADASTRE_MINIMUM_CELL_SIZE: String(least),
  });
  base = running.service.baseUrl;
});
afterAll(() => running.stop());

type Options = Parameters<typeof query>[0];
type Row = Readonly<Record<string, unknown>>;
/** Asks without annotations of types. */
const get = (target: string, name = "national") =>
  ask(base, target, { "x-api-key": running.key(name), accept: "application/json;odata.metadata=none" });
const rows = async (set: string, options: Options, name?: string): Promise<readonly Row[]> => {
  const reply = await get(`/reso/odata/${set}${query(options)}`, name);
  expect([reply.status, reply.text.slice(0, 300)]).toEqual([200, expect.any(String)]);
  return toCollection(reply).value;
};
const applied = (apply: string, name?: string, options: Options = {}) =>
  rows("Property", { $apply: apply, $top: 1000, ...options }, name);

const groupsBy = (all: readonly Row[], key: string): ReadonlyMap<unknown, readonly Row[]> => {
  const groups = new Map<unknown, Row[]>();
  for (const row of all) groups.set(row[key], [...(groups.get(row[key]) ?? []), row]);
  return groups;
};
const numbers = (group: readonly Row[], field: string) =>
  group.map((row) => row[field]).filter((value): value is number => typeof value === "number");

const customers = ["national", "market", "state", "coarse"] as const;

describe.each(customers)("for %s", (name) => {
  test("aggregates are of what the caller reads", async () => {
    const all = await rows("Property", { $top: 1000 }, name);
    for (const key of ["City", "PostalCode", "StandardStatus", "BedroomsTotal", "PropertyType"]) {
      const found = await applied(
        `groupby((${key}),aggregate($count as N,ListPrice with sum as Sum,${key} with countdistinct as Kinds))`,
        name,
      );
      const groups = [...groupsBy(all, key)];
      const small = groups
        .filter(([, { length }]) => length < least)
        .reduce((sum, [, { length }]) => sum + length, 0);
      const next = Math.min(...groups.map(([, { length }]) => length).filter((length) => length >= least));
      const shown = groups.filter(
        ([, { length }]) => length >= least && (small === 0 || small >= least || length > next),
      );
      expect(new Set(found.map((row) => row[key]))).toEqual(new Set(shown.map(([value]) => value)));
      for (const [value, group] of shown) {
        const prices = numbers(group, "ListPrice");
        expect(found.find((row) => row[key] === value)).toEqual({
          [key]: value,
          N: group.length,
          Sum: prices.length < least ? null : Number(prices.reduce((a, b) => a + b, 0).toFixed(2)),
          Kinds: value === null ? null : 1,
        });
      }
    }
  });
});

test("pages of groups, their number, and options over the result", async () => {
  const apply = "groupby((City,StandardStatus),aggregate($count as N,ListPrice with average as Mean))";
  const all = await applied(apply);
  expect(all.length).toBeGreaterThan(5);
  const walk: Row[] = [];
  let target: string | undefined = `/reso/odata/Property${query({ $apply: apply, $top: 2, $count: "true" })}`;
  while (target !== undefined) {
    const page = toCollection(await get(target));
    expect(page["@odata.count"]).toBe(all.length);
    walk.push(...page.value);
    target = page["@odata.nextLink"]?.replace(base, "");
  }
  expect(walk).toEqual(all);
  const count = await get(`/reso/odata/Property/$count${query({ $apply: apply })}`);
  expect(count.text).toBe(String(all.length));
  const options = { $filter: "N gt 5", $orderby: "Mean desc", $select: "City,Mean", $top: 3 };
  const best = all
    .filter((row) => Number(row["N"]) > 5)
    .toSorted((a, b) => Number(b["Mean"]) - Number(a["Mean"]))
    .slice(0, 3);
  expect(await applied(apply, "national", options)).toEqual(best.map(({ City, Mean }) => ({ City, Mean })));
});

/** Returns a listing that is not alone in its city. */
async function victim(): Promise<{ readonly key: string; readonly city: string; readonly price: number }> {
  const all = await rows("Property", { $top: 1000, $filter: "ListPrice ne null and City ne null" });
  const [group = []] = [...groupsBy(all, "City").values()].toSorted((a, b) => b.length - a.length);
  const [listing] = group;
  return {
    key: String(listing?.["ListingKey"]),
    city: String(listing?.["City"]),
    price: Number(listing?.["ListPrice"]),
  };
}

describe("attacks on one record", () => {
  const sums = "aggregate($count as N,ListPrice with sum as Sum)";
  const attacks: readonly (readonly [string, (of: { key: string; city: string }) => string])[] = [
    ["a count and sum of one", ({ key }) => `filter(ListingKey eq '${key}')/${sums}`],
    ["all but one", ({ key }) => `filter(ListingKey ne '${key}')/${sums}`],
    ["all but one, by two filters", ({ key }) => `filter(true)/filter(not (ListingKey eq '${key}'))/${sums}`],
    ["a group without one", ({ key }) => `groupby((City),filter(ListingKey ne '${key}')/${sums})`],
    ["a group of one", () => `groupby((ListingKey),${sums})`],
    [
      "groups of groups of one",
      () => `groupby((City,ListingKey),${sums})/groupby((City),aggregate(Sum with max as M))`,
    ],
    ["groups of a computed key", ({ key }) => `compute(ListingKey eq '${key}' as It)/groupby((It),${sums})`],
    ["one beside all", ({ key }) => `concat(${sums},filter(ListingKey eq '${key}')/${sums})`],
    ["all but one beside all", ({ key }) => `concat(${sums},filter(ListingKey ne '${key}')/${sums})`],
  ];
  test.each(attacks)("%s tells nothing of one", async (_, attack) => {
    const of = await victim();
    const [total] = await applied(sums);
    const known = new Set([of.price, Number(total?.["Sum"]) - of.price]);
    for (const row of await applied(attack(of))) {
      const { N, Sum, M } = row;
      if (N !== undefined) expect(Number(N)).toBeGreaterThanOrEqual(least);
      expect(Number(total?.["N"]) - Number(N ?? 0)).not.toBe(1);
      expect(known.has(Number(Sum ?? M))).toBe(false);
    }
  });

  const refused: readonly (readonly [string, string])[] = [
    ["the greatest value", "aggregate(ListPrice with max as M)"],
    ["the least value", "groupby((City),aggregate(ListPrice with min as M))"],
    ["the first record", "topcount(1,ListPrice)"],
    ["a sum of the first record", `topcount(1,ListPrice)/${sums}`],
    ["a sum of all but the first record", `skip(1)/${sums}`],
    ["a group without its first record", `groupby((City),bottomcount(1,ListPrice)/${sums})`],
    ["a weight of zero for the others", "aggregate(case(ListingKey eq 'x':ListPrice,true:0) with sum as S)"],
    ["the same by a computed property", "compute(ListPrice mul 1 as P)/aggregate(P with sum as S)"],
    ["records beside aggregates", `concat(filter(City eq 'Austin'),${sums})`],
    ["a path to related records", "groupby((ListAgent/MemberFullName))"],
  ];
  test.each(refused)("%s is refused", async (_, apply) => {
    const reply = await get(`/reso/odata/Property${query({ $apply: apply })}`);
    expect([400, 501]).toContain(reply.status);
    expect(toError(reply).target).toBe("$apply");
  });

  test("the group that would tell of a small one is left out with it", async () => {
    const all = await rows("Property", {
      $top: 1000,
      $select: "City,BedroomsTotal,StandardStatus,PropertyType",
    });
    for (const key of ["City", "BedroomsTotal", "StandardStatus", "PropertyType"]) {
      const found = await applied(`groupby((${key}),aggregate($count as N))`);
      const shown = found.reduce((sum, row) => sum + Number(row["N"]), 0);
      const rest = all.length - shown;
      expect(rest === 0 || rest >= least).toBe(true);
    }
  });

  test("a field with few values is not added up", async () => {
    const all = await rows("Property", { $top: 1000 });
    const fields = Object.keys(all[0] ?? {}).filter((field) => {
      const { length } = numbers(all, field);
      return length > 0 && length < least;
    });
    for (const field of fields.slice(0, 5))
      expect(await applied(`aggregate(${field} with sum as S)`)).toEqual([{ S: null }]);
  });
});

test("masked values are aggregated as they are masked", async () => {
  const [exact, masked] = await Promise.all([
    applied("groupby((Latitude),aggregate($count as N))", "national"),
    applied("groupby((Latitude),aggregate($count as N))", "coarse"),
  ]);
  for (const row of masked) expect(row["Latitude"]).toBe(Number(Number(row["Latitude"]).toFixed(2)));
  expect(masked).not.toEqual(exact);
});

test.each([
  ["placekey", { $apply: "aggregate($count as N)", placekey: "222-222@8t2-fjb-26k" }, 400],
  ["$apply", { $apply: "groupby((NoSuchField))" }, 400],
  ["$apply", { $apply: "groupby((Latitude))" }, 400],
])("is refused: %s %o", async (target, options, status) => {
  const reply = await get(`/reso/odata/Property${query(options)}`, "state");
  expect([reply.status, toError(reply).target]).toEqual([status, target]);
});
