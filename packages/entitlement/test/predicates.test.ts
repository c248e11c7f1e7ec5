import {
  compileScope,
  datasetProperty,
  type Entitlement,
  hiddenProperties,
  type Scope,
  visibleEntitySet,
} from "@cadastre/entitlement";
import {
  type BoundNode,
  bindFilter,
  type EntitySet,
  parseFilter,
  type StructuralProperty,
} from "@cadastre/odata";
import { describe, expect, test } from "vitest";
import { entitlement, grant, oregon, scopeOf, texas } from "./support/documents.ts";
import { lookupSet, propertySet } from "./support/model.ts";

/** As a query would be bound that could name what is hidden. */
function bound(text: string, { name, type }: EntitySet): BoundNode {
  const properties = new Map([...type.properties, [datasetProperty.name, datasetProperty]]);
  return bindFilter(parseFilter(text), { name, type: { ...type, properties } });
}

describe("the rows of a scope are the filter", () => {
  const dataset = `DatasetId eq '${texas}'`;
  test.each<readonly [string, Partial<Entitlement>]>([
    [dataset, {}],
    [
      `DatasetId in ('${oregon}','${texas}')`,
      { datasets: [grant(texas, { Property: "*" }), grant(oregon, { Property: "*" })] },
    ],
    [`${dataset} and StateOrProvince eq 'TX'`, { regions: [{ kind: "state", value: "TX" }] }],
    [
      `${dataset} and (PostalCode ge '78701' and PostalCode lt '78702')`,
      { regions: [{ kind: "zip", value: "78701" }] },
    ],
    [
      `${dataset} and (StateOrProvince eq 'TX' and CountyOrParish eq 'Travis')`,
      { regions: [{ kind: "county", value: "TX/Travis" }] },
    ],
  ])("%s", (text, changes) => {
    expect(flat(scopeOf(changes).rows("Property"))).toEqual(flat(bound(text, propertySet)));
  });

  test("of lookups that one field has", () => {
    const scope = scopeOf({ datasets: [grant(texas, { Property: ["StandardStatus"], Lookup: "*" })] });
    const shared = "DatasetId eq null and LookupName eq 'StandardStatus'";
    const own = `DatasetId eq '${texas}' and LookupName eq 'StandardStatus'`;
    expect(scope.rows("Lookup")).toEqual(bound(`(${shared}) or (${own})`, lookupSet));
  });

  test("of lookups that two datasets show alike, each named once", () => {
    const alike = { Property: ["StandardStatus", "Appliances"], Lookup: "*" } as const;
    const scope = scopeOf({ datasets: [grant(texas, alike), grant(oregon, alike)] });
    const names = "LookupName in ('Appliances','StandardStatus')";
    const text = `(DatasetId eq null and ${names}) or (DatasetId in ('${oregon}','${texas}') and ${names})`;
    expect(scope.rows("Lookup")).toEqual(bound(text, lookupSet));
  });
});

/** `and` of `and` as one: how conditions are bracketed is not at stake. */
function flat(node: BoundNode): BoundNode {
  if (node.kind !== "Logical") return node;
  const operands = node.operands
    .map(flat)
    .flatMap((one) => (one.kind === "Logical" && one.operator === node.operator ? one.operands : [one]));
  return { ...node, operands };
}

describe("lookups", () => {
  const lookup = (
    name: string,
    term = "RESO.OData.Metadata.LookupName",
    value = name,
  ): StructuralProperty => ({
    name,
    type: "Edm.String",
    collection: false,
    nullable: true,
    annotations: [{ term, value }],
  });
  const setOf = (...properties: readonly StructuralProperty[]): EntitySet => ({
    ...propertySet,
    type: { ...propertySet.type, properties: new Map(properties.map((one) => [one.name, one])) },
  });
  const key = lookup("ListingKey", "Core.Description", "a note");

  test("of two datasets are kept apart where their names run into one", () => {
    const entitySet = setOf(key, lookup("ab"), lookup("c"), lookup("a"), lookup("bc"));
    const scope = compileScope(
      entitlement({
        datasets: [
          grant(texas, { Property: ["ab", "c"], Lookup: "*" }),
          grant(oregon, { Property: ["a", "bc"], Lookup: "*" }),
        ],
      }),
      { entitySets: [entitySet, lookupSet] },
    );
    const rows = JSON.stringify(scope.rows("Lookup"));
    for (const names of [`["a","bc"]`, `["ab","c"]`]) {
      const values = (JSON.parse(names) as string[]).map((value) => ({
        kind: "Constant",
        type: "Edm.String",
        value,
      }));
      expect(rows).toContain(JSON.stringify(values));
    }
  });

  test("are named by their own annotation, and by no other", () => {
    const plain = { name: "City", type: "Edm.String", collection: false, nullable: true } as const;
    const entitySet = setOf(key, lookup("Status"), plain);
    const scope = compileScope(entitlement({ datasets: [grant(texas, { Property: "*", Lookup: "*" })] }), {
      entitySets: [entitySet, lookupSet],
    });
    const rows = JSON.stringify(scope.rows("Lookup"));
    expect(rows).toContain('"Status"');
    expect(rows).not.toContain("a note");
  });
});

describe("a visible entity set", () => {
  const annotated = (annotations: NonNullable<EntitySet["type"]["annotations"]> | undefined): EntitySet => ({
    ...propertySet,
    type: { ...propertySet.type, ...(annotations === undefined ? {} : { annotations }) },
  });

  test("has the annotations of its type, and no member where there are none", () => {
    const annotations = [{ term: "Core.Description", value: "a listing" }];
    const visible = (entitySet: EntitySet) =>
      visibleEntitySet(entitySet, compileScope(entitlement(), { entitySets: [entitySet] })).type;
    expect(visible(annotated(annotations)).annotations).toBe(annotations);
    expect(visible(annotated(undefined))).not.toHaveProperty("annotations");
  });
});

describe("a scope", () => {
  test("has the hash that an earlier release gave it", () => {
    const { capabilities: _, ...incapable } = entitlement({
      datasets: [
        grant(texas, { Property: ["City", "ListPrice"], Media: "*" }),
        grant(oregon, { Media: "*", Property: "*" }),
      ],
    });
    // Fields of that release: `*` grants all there are.
    const later = new Set(["AddressLine", "Label", "Remarks"]);
    const properties = new Map([...propertySet.type.properties].filter(([name]) => !later.has(name)));
    const released = { ...propertySet, type: { ...propertySet.type, properties } };
    const scope = compileScope(incapable, { entitySets: [released, { ...lookupSet, name: "Media" }] });
    expect(scope.scopeSha256).toMatchInlineSnapshot(
      `"e73255f45718d5b0a91bfb5501858aa144ca6e4b725e7b74cf3532b4ab5888ec"`,
    );
    expect(scope.capabilities).toEqual([]);
  });

  test("names the entity set that it was compiled without, be it no scope at all", () => {
    const nothing = { ...propertySet, name: "Nothing" };
    for (const scope of [scopeOf(), {} as Scope])
      expect(() => visibleEntitySet(nothing, scope)).toThrow("without the entity set `Nothing`");
  });

  test("is compiled of no entity set that takes a hidden name", () => {
    const taken = { ...propertySet, type: { ...propertySet.type, properties: hiddenProperties } };
    expect(() => compileScope(entitlement(), { entitySets: [taken] })).toThrow(
      "the entity set `Property` may not have a property `DatasetId`",
    );
  });

  test("reads hidden properties that are nullable texts, and of a permission as many as there are", () => {
    for (const [name, property] of hiddenProperties) {
      const collection = name === "MediaPermission";
      expect(property).toMatchObject({ name, type: "Edm.String", collection, nullable: true });
    }
  });
});
