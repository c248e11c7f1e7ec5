import { evaluate, type PrimitiveType, type Projection } from "@cadastre/odata";
import { codecOf } from "@cadastre/odata/run";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { WritableStore } from "../../src/index.ts";
import { type Asked, ask, listings, records } from "../support/listings.ts";
import { type Harness, openEmpty, rowsOf } from "./harness.ts";

const expressions: Readonly<Record<string, string>> = {
  text: "concat(City,'\"')",
  integer: "length(City)",
  sum: "BedroomsTotal add YearBuilt",
  decimal: "ListPrice mul 3",
  member: "TaxAnnualAmount sub 0.01",
  double: "cast(ListPrice,Edm.Double) divby 3",
  truth: "startswith(City,'B')",
  date: "date(StatusChangeTimestamp)",
  instant: "StatusChangeTimestamp add duration'PT1H'",
  time: "time(StatusChangeTimestamp)",
  duration: "StatusChangeTimestamp sub ModificationTimestamp",
  large: "cast(9223372036854775807,Edm.Int64)",
};

const projection = (name: string, text: string): Projection => {
  const asked: Asked = { orderBy: text };
  const [item] = ask(asked).orderBy;
  if (item === undefined) throw new Error(`no expression ${text}`);
  const type = item.expression.type as PrimitiveType;
  return { property: { name, type, collection: false, nullable: true }, expression: item.expression };
};

/** Projections whose value is not the record's own. */
export function computed(harness: Harness): void {
  let store: WritableStore;
  beforeAll(async () => {
    store = await openEmpty(harness);
    await store.commit(records);
  });
  afterAll(() => store.close());

  /** A query that selects these projections beside what it asks for. */
  const asking = (projections: readonly Projection[]): ReturnType<typeof ask> => {
    const query = ask({ select: "ListingKey,City" });
    return Object.assign(query, { select: [...query.select, ...projections] });
  };

  test.each(Object.entries(expressions))("the computed %s is that of memory: %s", async (name, text) => {
    const one = projection(name, text);
    const rows = rowsOf(await store.page(asking([one])));
    const expected = records.map(({ record }) => {
      const value = evaluate(one.expression, record);
      const json = value === null ? null : codecOf(one.property.type).toJson(value);
      return {
        ListingKey: record["ListingKey"],
        City: record["City"] ?? null,
        [name]: typeof json === "bigint" ? Number(json) : json,
      };
    });
    expect(rows).toEqual(expected);
  });

  test("a computed collection is empty where it has no value", async () => {
    const appliances = listings.type.properties.get("Appliances");
    const [when] = [ask({ filter: "ListPrice gt 400000" }).filter];
    if (appliances === undefined) throw new Error("no appliances");
    const property = { ...appliances, name: "Shown" };
    const own = { kind: "Property", type: "Collection(Edm.String)", property: appliances } as const;
    const expression = { kind: "Choice", type: own.type, when, value: own } as const;
    const rows = rowsOf(await store.page(asking([{ property, expression }])));
    expect(rows.map((row) => row["Shown"])).toEqual([[], [], [], [], [], ["Oven", "Range"]]);
  });
}
