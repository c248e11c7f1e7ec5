import type { BoundQuery, StructuralProperty } from "@cadastre/odata";
import { propertyNode } from "@cadastre/odata/tree";
import { ProtocolError } from "../errors.ts";
import { type MemberVisit, piecesOfRecords, walkRecord } from "./record-walk.ts";

const isPlace = ({ type, collection }: StructuralProperty): boolean =>
  !collection && type.startsWith("Edm.Geography");

/** A query for features: `geometry` is the property that says where they are. */
export type FeatureQuery = { readonly query: BoundQuery; readonly geometry: string };

/**
 * Returns the query with the property that the geometry is taken from: the first one selected, else the first one of the entity set.
 *
 * @throws {ProtocolError} `not_acceptable` if the caller sees no such property
 */
export function featureQueryOf(query: BoundQuery): FeatureQuery {
  const selected = query.select.find(({ property }) => isPlace(property));
  if (selected !== undefined) return { query, geometry: selected.property.name };
  const { name, type } = query.entitySet;
  const property = [...type.properties.values()].find(isPlace);
  if (property === undefined)
    throw new ProtocolError("not_acceptable", {
      target: "$format",
      reason: `\`${name}\` has no places for GeoJSON`,
    });
  const select = [...query.select, { property, expression: propertyNode(property) }];
  return { query: { ...query, select }, geometry: property.name };
}

/**
 * Writes records as features. One without a place has the geometry null. Source: RFC 7946, section 3.
 *
 * @param records JSON texts of records without white space, separated by commas, in UTF-8
 * @param geometry name of the member that becomes the geometry; the others become properties
 * @param count number of records on all pages, if it was asked for
 */
export function* toGeoJson(records: Buffer, geometry: string, count: number | undefined): Generator<string> {
  const name = Buffer.from(`"${geometry}":`);
  // The span of the geometry in the current record; empty if it has none.
  const places: Parameters<MemberVisit>[] = [];
  const visit: MemberVisit = (at, start, end) => {
    if (start - at === name.length && name.equals(records.subarray(at, start))) places.push([at, start, end]);
  };
  const textOf = (start: number, end: number) => records.toString("utf8", start, end);
  yield `{"type":"FeatureCollection",${count === undefined ? "" : `"numberMatched":${count},`}"features":[`;
  yield* piecesOfRecords(records, (from, add) => {
    places.length = 0;
    const after = walkRecord(records, from, visit);
    const separator = from === 0 ? "" : ",";
    const [place] = places;
    if (place === undefined)
      add(`${separator}{"type":"Feature","geometry":null,"properties":${textOf(from, after)}}`);
    else {
      const [at, start, end] = place;
      const before = textOf(from, at);
      const rest = textOf(end, after);
      // The comma on one side of the member goes with it.
      const properties = before.endsWith(",") ? before.slice(0, -1) + rest : before + rest.replace(/^,/, "");
      add(`${separator}{"type":"Feature","geometry":${textOf(start, end)},"properties":${properties}}`);
    }
    return after;
  });
  yield "]}";
}
