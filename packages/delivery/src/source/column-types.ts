import type { PrimitiveType, StructuralProperty } from "@cadastre/odata";
import type { ColumnFacets, ExportColumn, ExportType } from "./export-source.ts";

const column = (name: string, type: ExportType, collection = false): ExportColumn => ({
  name,
  type,
  collection,
  nullable: false,
});

/** A point in GeoJSON. Source: RFC 7946, section 3.1.2. */
const point: ExportType = { struct: [column("type", "string"), column("coordinates", "double", true)] };

/** Largest precision of a decimal, and the scale of a decimal for which the model states none. */
const [mostDigits, unstatedScale] = [38, 10];

/** Export types by the type of a property; a decimal also depends on the property's facets. */
const types: Readonly<Record<Exclude<PrimitiveType, "Edm.Decimal">, ExportType>> = {
  "Edm.String": "string",
  "Edm.Guid": "string",
  "Edm.Binary": "string",
  "Edm.Duration": "string",
  "Edm.Boolean": "boolean",
  "Edm.Byte": "int32",
  "Edm.SByte": "int32",
  "Edm.Int16": "int32",
  "Edm.Int32": "int32",
  "Edm.Int64": "int64",
  "Edm.Single": "double",
  "Edm.Double": "double",
  "Edm.Date": "date",
  "Edm.DateTimeOffset": "timestamp",
  "Edm.TimeOfDay": "time",
  "Edm.GeographyPoint": point,
  "Edm.GeometryPoint": point,
  "Edm.GeographyLineString": "json",
  "Edm.GeographyPolygon": "json",
  "Edm.GeographyMultiPoint": "json",
  "Edm.GeographyMultiLineString": "json",
  "Edm.GeographyMultiPolygon": "json",
  "Edm.GeographyCollection": "json",
  "Edm.GeometryLineString": "json",
  "Edm.GeometryPolygon": "json",
  "Edm.GeometryMultiPoint": "json",
  "Edm.GeometryMultiLineString": "json",
  "Edm.GeometryMultiPolygon": "json",
  "Edm.GeometryCollection": "json",
};

/** Term of the annotation that gives the name of a field of the Data Dictionary. */
const standardName = "RESO.OData.Metadata.StandardName";

/** Returns the column for a property of an entity set. */
export function columnOf({
  name,
  type,
  collection,
  nullable,
  maxLength,
  precision,
  scale,
  annotations,
}: StructuralProperty): ExportColumn {
  const decimal = [Math.min(precision ?? mostDigits, mostDigits), scale ?? unstatedScale] as const;
  const title = annotations?.find(({ term }) => term === standardName)?.value;
  const facets: ColumnFacets = {
    edmType: type,
    ...(maxLength === undefined ? {} : { maxLength }),
    ...(precision === undefined ? {} : { precision }),
    ...(scale === undefined ? {} : { scale }),
    ...(typeof title === "string" ? { title } : {}),
  };
  return { name, type: type === "Edm.Decimal" ? { decimal } : types[type], collection, nullable, facets };
}
