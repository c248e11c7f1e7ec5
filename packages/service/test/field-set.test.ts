import { readCsdl } from "@cadastre/odata/csdl";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ask, query, toCollection, toEntity, toError } from "./support/ask.ts";
import { type Running, run } from "./support/running.ts";

let running: Running;
let base: string;
beforeAll(async () => {
  running = await run({ CADASTRE_LISTINGS: "100", CADASTRE_EXTENSIONS: "expand,search,apply,field" });
  base = running.service.baseUrl;
});
afterAll(() => running.stop());

const customers = ["national", "market", "state", "coarse"] as const;
type Options = Parameters<typeof query>[0];
type Row = Readonly<Record<string, unknown>>;
const get = (target: string, name = "national") => ask(base, target, { "x-api-key": running.key(name) });
const rows = async (options: Options, name?: string): Promise<readonly Row[]> =>
  toCollection(await get(`/reso/odata/Field${query(options)}`, name)).value;

/** Returns all fields that `$metadata` declares to a customer, as their keys. */
async function declared(name: string): Promise<readonly string[]> {
  const { types, entitySets } = readCsdl((await get("/reso/odata/$metadata", name)).text);
  return [...entitySets].flatMap(([set, { type }]) =>
    (types.get(type)?.properties ?? []).map((property) => `${set}-${property.name}`),
  );
}

async function walk(options: Options, name: string): Promise<readonly Row[]> {
  const found: Row[] = [];
  let target: string | undefined = `/reso/odata/Field${query(options)}`;
  while (target !== undefined) {
    const page = toCollection(await get(target, name));
    found.push(...page.value);
    target = page["@odata.nextLink"]?.replace(base, "");
  }
  return found;
}

describe.each(customers)("for %s", (name) => {
  test("there is a row for each field that the caller sees, and no other", async () => {
    const found = await walk({ $top: 400 }, name);
    expect(found.map((row) => String(row["FieldKey"])).toSorted()).toEqual((await declared(name)).toSorted());
    for (const row of found) {
      expect(Object.keys(row)).toEqual(["FieldKey", "FieldName", "ModificationTimestamp", "ResourceName"]);
      expect(row["FieldKey"]).toBe(`${String(row["ResourceName"])}-${String(row["FieldName"])}`);
    }
    const times = found.map((row) => Date.parse(String(row["ModificationTimestamp"])));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(new Set(times).size).toBe(times.length);
    expect(Math.max(...times)).toBeLessThanOrEqual(Date.now());
    expect((await get("/reso/odata/Field/$count", name)).text).toBe(String(found.length));
  });
});

test("a hidden field has no row, by key, filter or path", async () => {
  const options = { $filter: "ResourceName eq 'Property' and FieldName eq 'Latitude'" };
  expect(await rows(options, "national")).toHaveLength(1);
  expect(await rows(options, "state")).toEqual([]);
  const one = (name: string) => get("/reso/odata/Field('Property-Latitude')", name);
  expect(toEntity(await one("national"))).toMatchObject({ FieldName: "Latitude", ResourceName: "Property" });
  const hidden = await one("state");
  const absent = await get("/reso/odata/Field('Property-Nowhere')", "state");
  expect([hidden.status, hidden.text]).toEqual([404, absent.text]);
});

test("options of any set, and one property of a field", async () => {
  const found = await rows({
    $filter: "ResourceName eq 'Property' and startswith(FieldName,'List')",
    $orderby: "FieldName desc",
    $select: "FieldName",
    $top: 3,
    $skip: 1,
  });
  const names = (await declared("national"))
    .filter((key) => key.startsWith("Property-List"))
    .map((key) => key.slice("Property-".length))
    .toSorted()
    .toReversed();
  expect(found).toEqual(names.slice(1, 4).map((FieldName) => ({ FieldName })));
  const value = await get("/reso/odata/Field('Property-City')/FieldName/$value");
  expect(value.text).toBe("City");
  const service = await get("/reso/odata");
  expect(service.text).toContain('"name":"Field"');
});

test.each([
  ["$search", { $search: "City" }, 501],
  ["$apply", { $apply: "aggregate($count as N)" }, 501],
  ["placekey", { placekey: "222-222@8t2-fjb-26k" }, 400],
])("%s of fields is refused", async (target, options, status) => {
  const reply = await get(`/reso/odata/Field${query(options)}`);
  expect([reply.status, toError(reply).target]).toEqual([status, target]);
});

test("`$metadata` states what each set supports", async () => {
  const text = (await get("/reso/odata/$metadata")).text;
  const of = (set: string) => new RegExp(`<EntitySet Name="${set}"[^]*?</EntitySet>`).exec(text)?.[0] ?? "";
  expect(of("Property")).toContain(
    `<Annotation Term="Org.OData.Capabilities.V1.ExpandRestrictions">
            <Record>
              <PropertyValue Property="Expandable" Bool="true"/>
              <PropertyValue Property="MaxLevels" Int="16"/>
            </Record>
          </Annotation>`,
  );
  expect(of("Property")).toContain(
    "A page has at most 1000 records, 500 with $expand. $skip is at most 10000.",
  );
  expect(of("Property")).toContain("<String>groupby</String>");
  expect(of("Property")).toContain('"Org.OData.Capabilities.V1.ComputeSupported" Bool="false"');
  expect(of("Field")).toContain('<PropertyValue Property="Searchable" Bool="false"/>');
  expect(of("Field")).toContain('<PropertyValue Property="Expandable" Bool="false"/>');
  expect(of("Field")).not.toContain("ApplySupported");
  for (const namespace of ["Org.OData.Capabilities.V1", "Org.OData.Aggregation.V1"])
    expect(text).toContain(`<edmx:Include Namespace="${namespace}"/>`);
  const json = JSON.parse((await get("/reso/odata/$metadata?$format=json")).text) as Record<
    string,
    Record<string, Record<string, Row>>
  >;
  expect(json["org.reso.metadata"]?.["RESO"]?.["Property"]).toMatchObject({
    "@Org.OData.Capabilities.V1.SearchRestrictions": { Searchable: true },
    "@Org.OData.Capabilities.V1.TopSupported": true,
  });
});

test("a level that `$metadata` states is answered, and one more is not", async () => {
  const expand = (levels: number) =>
    get(`/reso/odata/Office${query({ $expand: `MainOffice($levels=${levels})`, $top: 1 })}`);
  expect((await expand(16)).status).toBe(200);
  expect((await expand(17)).status).toBe(400);
});

test("where it is off, there is no such set", async () => {
  const off = await run({ CADASTRE_LISTINGS: "20" });
  try {
    const reply = await ask(off.service.baseUrl, "/reso/odata/Field", { "x-api-key": off.key("national") });
    expect(reply.status).toBe(404);
  } finally {
    await off.stop();
  }
});
