import type { GeoNode, GeoShape, LiteralNode, Position } from "../tree.ts";

/** Writes a text as a string literal. Source: OData URL Conventions 4.01, section 5.1.1.1.2. */
export const textLiteral = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Prints a literal: strings in single quotes, prefixes in lower case, all else as written. */
export function printLiteral({ type, value }: LiteralNode): string {
  if (value === null) return "null";
  if (typeof value === "boolean") return String(value);
  if (type === "String") return textLiteral(value);
  return type === "Duration" || type === "Binary" ? `${type.toLowerCase()}'${value}'` : value;
}

const position = (coordinates: Position): string =>
  coordinates.map((value) => (Object.is(value, -0) ? "-0" : String(value))).join(" ");
const line = (positions: readonly Position[]): string => `(${positions.map(position).join(",")})`;
const lines = (rings: readonly (readonly Position[])[]): string => `(${rings.map(line).join(",")})`;

function shape(geo: GeoShape): string {
  switch (geo.type) {
    case "Point":
      return `Point(${position(geo.coordinates)})`;
    case "LineString":
      return `LineString${line(geo.coordinates)}`;
    case "Polygon":
      return `Polygon${lines(geo.coordinates)}`;
    case "MultiPoint":
      return `MultiPoint(${geo.coordinates.map((point) => `(${position(point)})`).join(",")})`;
    case "MultiLineString":
      return `MultiLineString${lines(geo.coordinates)}`;
    case "MultiPolygon":
      return `MultiPolygon(${geo.coordinates.map(lines).join(",")})`;
    case "GeometryCollection":
      return `GeometryCollection(${geo.geometries.map(shape).join(",")})`;
  }
}

export const printGeo = (node: GeoNode): string => `${node.family}'SRID=${node.srid};${shape(node.shape)}'`;
