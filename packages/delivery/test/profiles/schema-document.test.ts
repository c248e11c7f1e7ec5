import { createHash } from "node:crypto";
import { canonicalText } from "@cadastre/manifest";
import { describe, expect, test } from "vitest";
import type { ExportColumn } from "../../src/index.ts";
import { deliveredDatasets, profileOf } from "../../src/profiles/profile.ts";
import { manifestSchema, schemaDocument } from "../../src/profiles/schema-document.ts";
import { columnOf } from "../../src/source/column-types.ts";
import { anyScope } from "../support/scope.ts";

const profile = profileOf({
  id: "mine",
  version: 1,
  domain: "listing",
  fields: { listing: "*" },
  format: "jsonl",
  compression: "gzip",
  partBytes: 1 << 20,
  removalReason: false,
});

const text = (name: string): ExportColumn => ({ name, type: "string", collection: false, nullable: true });
const datasetsOf = (columns: readonly ExportColumn[]) =>
  deliveredDatasets({ columns: () => columns }, anyScope, profile);
const documentOf = (columns: readonly ExportColumn[]) => schemaDocument(profile, datasetsOf(columns));

/** The document that releases without facets hashed. */
const earlierText = (columns: readonly object[]) =>
  canonicalText({
    id: "listing",
    version: "1",
    datasets: [{ name: "listing", resource: "Property", keyField: "ListingKey", columns }],
  });
const hashOf = (value: string) => createHash("sha256").update(value).digest("hex");

const property = { collection: false, nullable: true } as const;
const columns = [
  columnOf({ ...property, name: "ListingKey", type: "Edm.String", maxLength: 255, nullable: false }),
  columnOf({
    ...property,
    name: "ListPrice",
    type: "Edm.Decimal",
    precision: 14,
    scale: 2,
    annotations: [{ term: "RESO.OData.Metadata.StandardName", value: "List Price" }],
  }),
  columnOf({ ...property, name: "Acres", type: "Edm.Decimal", precision: 16, scale: 4 }),
  columnOf({ ...property, name: "Changed", type: "Edm.DateTimeOffset", precision: 3 }),
  columnOf({ ...property, name: "Cooling", type: "Edm.String", collection: true, nullable: false }),
  columnOf({ ...property, name: "Place", type: "Edm.GeographyPoint" }),
];

test("the name of a document is its hash, and its text is canonical", () => {
  const { text: document, sha256 } = documentOf(columns);
  expect(hashOf(document)).toBe(sha256);
  expect(canonicalText(JSON.parse(document))).toBe(document);
});

test("a document says of each column how every system types it", () => {
  const document = JSON.parse(documentOf(columns).text) as {
    readonly datasets: readonly { readonly columns: object[] }[];
  };
  expect(document).toMatchObject({ documentType: "schema", documentVersion: 2, id: "listing", version: "1" });
  expect(document.datasets).toMatchObject([
    { name: "listing", resource: "Property", keyField: "ListingKey" },
  ]);
  const [key, price, acres, changed, cooling, place] = document.datasets[0]?.columns ?? [];
  expect(key).toEqual({
    name: "ListingKey",
    type: "string",
    collection: false,
    nullable: false,
    key: true,
    edmType: "Edm.String",
    maxLength: 255,
    precision: null,
    scale: null,
    parquet: "STRING",
    arrow: "utf8",
    sql: { duckdb: "VARCHAR", postgres: "text", sqlite: "text" },
    title: null,
    link: "/reso/odata/$metadata#Property/ListingKey",
  });
  expect(price).toMatchObject({
    key: false,
    type: { decimal: [14, 2] },
    edmType: "Edm.Decimal",
    precision: 14,
    scale: 2,
    parquet: "DECIMAL(14,2)",
    arrow: "decimal128(14, 2)",
    sql: { duckdb: "DECIMAL(14,2)", postgres: "numeric(14,2)", sqlite: "decimal(14,2)" },
    title: "List Price",
  });
  expect(acres).toMatchObject({ sql: { postgres: "numeric(16,4)", sqlite: "" } });
  expect(changed).toMatchObject({
    precision: 3,
    parquet: "TIMESTAMP(MICROS,UTC)",
    sql: { duckdb: "TIMESTAMPTZ", postgres: "timestamp with time zone", sqlite: "text" },
  });
  expect(cooling).toMatchObject({
    edmType: "Collection(Edm.String)",
    parquet: "LIST<STRING>",
    arrow: "list<utf8>",
    sql: { duckdb: "VARCHAR[]", postgres: "jsonb", sqlite: "text" },
  });
  expect(place).toMatchObject({
    edmType: "Edm.GeographyPoint",
    arrow: "struct<type: utf8, coordinates: list<double>>".replace("double", "float64"),
  });
});

test("a delivery has another schema whenever a column is another one, and only then", () => {
  const schemaBy = (of: readonly ExportColumn[]) =>
    manifestSchema(profile, documentOf(of), { dictionaryVersion: "2.0" });
  const one = schemaBy([text("a"), text("b")]);
  expect(one).toMatchObject({ id: "listing", resoDdVersion: "2.0" });
  expect(schemaBy([text("a"), text("b")])).toEqual(one);
  const others = [
    schemaBy([text("a")]),
    schemaBy([text("b"), text("a")]),
    schemaBy([text("a"), { ...text("b"), type: "date" }]),
    schemaBy([text("a"), { ...text("b"), type: { decimal: [14, 2] } }]),
    schemaBy([text("a"), { ...text("b"), collection: true }]),
    schemaBy([text("a"), { ...text("b"), facets: { edmType: "Edm.Guid" } }]),
    schemaBy([text("a"), { ...text("b"), facets: { edmType: "Edm.String", maxLength: 9 } }]),
  ];
  expect(new Set([one, ...others].map(({ sha256 }) => sha256)).size).toBe(8);
});

describe("a hash of an earlier release", () => {
  const plain = columns.map(({ name, type, collection, nullable }) => ({ name, type, collection, nullable }));
  const earlier = hashOf(earlierText(plain));

  test("is that of the names and types alone", () => {
    const found = schemaDocument(profile, datasetsOf(columns), earlier);
    expect(found).toEqual({ text: earlierText(plain), sha256: earlier });
    expect(found.sha256).not.toBe(documentOf(columns).sha256);
  });

  test("no longer resolves when a column is another one", () => {
    const others = datasetsOf([...columns, text("More")]);
    expect(schemaDocument(profile, others, earlier)).toEqual(schemaDocument(profile, others));
  });
});
