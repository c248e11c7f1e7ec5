import type { EntitySet, StructuralProperty } from "@cadastre/odata";
import { callTexts } from "@cadastre/odata/testing";
import fc from "fast-check";
import { absentKey, fields, keyOf, keys, masks, type ResourceName, universeSet } from "./universe.ts";

const pick = (...texts: readonly string[]) => fc.constantFrom(...texts);
const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;

type Kind = StructuralProperty["type"];

const literalOf = (value: unknown, type: Kind): string =>
  typeof value === "string" && type === "Edm.String" ? quoted(value) : String(value);

/** Literals with values of the field itself, so that comparisons distinguish records. */
const literals = (resource: ResourceName, { name, type }: StructuralProperty): fc.Arbitrary<string> => {
  const values =
    name === keyOf(resource) ? [...keys[resource], absentKey] : (fields[resource][name] ?? [null]);
  return pick("null", ...values.flat().map((value) => literalOf(value, type)));
};

const comparator = pick("eq", "ne", "gt", "ge", "lt", "le");

const spaced = (parts: readonly string[]) => parts.join(" ");

function comparisons(resource: ResourceName, own: StructuralProperty, others: readonly string[]) {
  const { name } = own;
  const literal = literals(resource, own);
  return fc.oneof(
    { weight: 3, arbitrary: fc.tuple(fc.constant(name), comparator, literal).map(spaced) },
    fc.tuple(literal, comparator, fc.constant(name)).map(spaced),
    {
      weight: 2,
      arbitrary: fc
        .array(literal, { minLength: 1, maxLength: 3 })
        .map((list) => `${name} in (${list.join()})`),
    },
    fc.tuple(fc.constant(name), comparator, pick(...others)).map(spaced),
  );
}

/** Conditions that only values of a certain type support. */
const ofType: Partial<Record<Kind, (name: string) => readonly string[]>> = {
  "Edm.String": (name) => [
    `contains(${name},'o')`,
    `startswith(tolower(${name}),'a')`,
    `length(${name}) gt 2`,
    `concat(${name},'x') ne 'x'`,
    `indexof(${name},'e') ge 0`,
  ],
  "Edm.Decimal": (name) => [`${name} div 2 gt 1`, `1 div ${name} gt 0`, `round(${name}) eq ${name}`],
  "Edm.Int64": (name) => [`${name} add 1 gt 1`, `1 mod ${name} eq 0`, `-${name} lt 0`],
  "Edm.Date": (name) => [`year(${name}) eq 2024`, `${name} add duration'P1D' gt 2024-01-01`],
  "Edm.DateTimeOffset": (name) => [`day(${name}) eq 1`, `date(${name}) eq 2024-05-01`],
  "Edm.Boolean": (name) => [name, `not ${name}`, `(${name} or ${name} eq null)`],
  "Edm.GeographyPoint": (name) => [
    `geo.distance(${name},geography'Point(-97.741 30.271)') lt 500`,
    `geo.distance(${name},geography'Point(-97.741 30.271)') lt 200`,
    `geo.distance(${name},geography'Point(-97.741 30.271)') ge 0`,
    `geo.intersects(${name},geography'Polygon((-98 30,-97 30,-97 31,-98 31,-98 30))')`,
    `${name} ne null`,
  ],
};

/** @param text name of a text field of the same record */
const ofCollection = (name: string, item: string, text: string) => [
  `${name}/any()`,
  `${name}/any(a:a eq ${item})`,
  `${name}/all(a:a eq ${item})`,
  `not ${name}/any(a:a ne ${item})`,
  `${name} has ${item}`,
  `${item} in ${name}`,
  `${name}/$count ge 1`,
  `hassubset(${name},["Oven"])`,
  `${name}/any(a:a eq ${text} or contains(${text},a))`,
];

/** For each resource, a text field to compare with the items of its collections. */
const someText: Readonly<Record<ResourceName, string>> = {
  Property: "PublicRemarks",
  Media: "ShortDescription",
  MediaAsset: "Url",
  Member: "MemberEmail",
  Office: "OfficePhone",
  OpenHouse: "OpenHouseRemarks",
  Lookup: "LookupValue",
  PublicRecord: "City",
};

function atomsOf(resource: ResourceName, entitySet: EntitySet): fc.Arbitrary<string> {
  const all = [...entitySet.type.properties.values()];
  const namesOf = (wanted: Kind) =>
    all.filter((one) => one.type === wanted && !one.collection).map(({ name }) => name);
  const atoms = all.map((own) => {
    // A resource has few collections and points: without more weight, they would hardly occur.
    if (own.collection) {
      const arbitrary = literals(resource, own).chain((item) =>
        pick(...ofCollection(own.name, item, someText[resource])),
      );
      return { weight: 6, arbitrary };
    }
    const special = ofType[own.type]?.(own.name) ?? [`${own.name} ne null`];
    if (own.type === "Edm.GeographyPoint") return { weight: 4, arbitrary: pick(...special) };
    return fc.oneof(
      { weight: 2, arbitrary: comparisons(resource, own, namesOf(own.type)) },
      pick(...special),
    );
  });
  return fc.oneof({ weight: 6, arbitrary: fc.oneof(...atoms) }, callTexts(entitySet));
}

/** Filters with all features of the language. */
export const filtersOf = (resource: ResourceName): fc.Arbitrary<string> =>
  filtersOver(resource, universeSet(resource));

/** Filters of the fields that a grant may mask. */
export function maskedFiltersOf(resource: ResourceName): fc.Arbitrary<string> {
  const { type, ...set } = universeSet(resource);
  const properties = new Map([...type.properties].filter(([name]) => name in masks[resource]));
  return filtersOver(resource, { ...set, type: { ...type, properties } });
}

function filtersOver(resource: ResourceName, entitySet: EntitySet): fc.Arbitrary<string> {
  const atom = atomsOf(resource, entitySet);
  const { filter } = fc.letrec<{ filter: string }>((tie) => ({
    filter: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      { weight: 4, arbitrary: atom },
      tie("filter").map((operand) => `not (${operand})`),
      fc
        .tuple(tie("filter"), pick("and", "or"), tie("filter"))
        .map(([left, operator, right]) => `(${left}) ${operator} (${right})`),
    ),
  }));
  return filter;
}

/** Orders by fields, by computed values, and by distance. */
export function ordersOf(resource: ResourceName): fc.Arbitrary<string> {
  const names = [...universeSet(resource).type.properties.keys()];
  const computed: Readonly<Record<ResourceName, readonly string[]>> = {
    Property: [
      "geo.distance(Coordinates,geography'Point(-97.741 30.271)')",
      "length(City)",
      "ListPrice div BedroomsTotal",
      "Appliances/$count",
      "tolower(City)",
      "PostalCode eq '78701'",
    ],
    Media: ["length(ShortDescription)"],
    MediaAsset: [],
    Member: ["toupper(MemberEmail)"],
    Office: ["length(OfficeEmail)"],
    OpenHouse: ["length(OpenHouseRemarks)"],
    Lookup: ["length(LookupValue)"],
    PublicRecord: [],
  };
  return fc
    .array(fc.tuple(pick(...names, ...computed[resource]), pick("", " asc", " desc")), {
      minLength: 1,
      maxLength: 3,
    })
    .map((items) => items.map(([item, direction]) => item + direction).join(","));
}

export const selectsOf = (resource: ResourceName): fc.Arbitrary<string> =>
  fc
    .subarray([...universeSet(resource).type.properties.keys()], { minLength: 1, maxLength: 5 })
    .map((names) => names.join(","));

/** Filters of the canonical properties, whose columns are of no entity set. */
const propertyFilters = [
  "list_price ge 350000",
  "list_price eq null or status eq 'Active'",
  "startswith(id,'prov:')",
  "address_city eq 'Austin' and not (address_postal_code eq '78702')",
  "listing_keys/any(k:k eq 'p1' or k eq 'p4')",
];

/** Filters of what a domain delivers. */
export const domainFilters: Readonly<Record<string, fc.Arbitrary<string>>> = {
  listing: filtersOf("Property"),
  public_record: filtersOf("PublicRecord"),
  property: pick(...propertyFilters),
};
