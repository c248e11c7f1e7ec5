import { restrict } from "@cadastre/entitlement";
import type { EntitySet, StructuralProperty } from "@cadastre/odata";
import { type GeoShape, printExpression, propertyNode } from "@cadastre/odata/tree";
import { Refused } from "../errors.ts";
import { type Answer, noContent, ok, tagged } from "../http/answer.ts";
import type { EntityAddress, ResourcePath } from "./address.ts";
import { readOne } from "./entity.ts";
import { textType } from "./format.ts";
import type { OdataRequest } from "./odata-request.ts";
import { parseFormat, parseValue } from "./query-options.ts";
import { bindOne } from "./read-query.ts";
import { readRecords } from "./record-members.ts";
import { renderProperty } from "./render.ts";
import type { OdataServices } from "./services.ts";

type AddressOf<Kind> = Extract<ResourcePath, { readonly kind: Kind }>;

/** `GET /reso/odata/<EntitySet>('<key>')/<Property>`. Source: OData Protocol 4.01, section 11.2.4. */
export async function individualProperty(
  request: OdataRequest,
  entitySet: EntitySet,
  address: AddressOf<"Property">,
  services: OdataServices,
): Promise<Answer> {
  const { root, stages } = request;
  const format = stages.time("parse", () => parseFormat(request));
  const asked = findProperty(address.property, entitySet);
  const value = await readValue(request, entitySet, asked, address, services);
  if (value === "null") return noContent;
  const entity = { root, entitySet, key: address.key.value };
  return stages.time("render", () => tagged(renderProperty(entity, asked, value, format)));
}

/** `GET /reso/odata/<EntitySet>('<key>')/<Property>/$count`. Source: OData URL Conventions 4.01, section 4.8. */
export async function itemCount(
  request: OdataRequest,
  entitySet: EntitySet,
  address: AddressOf<"ItemCount">,
  services: OdataServices,
): Promise<Answer> {
  request.stages.time("parse", () => parseValue(request));
  const asked = findProperty(address.property, entitySet);
  if (!asked.collection) throw new Refused("not_found");
  const value = await readValue(request, entitySet, asked, address, services);
  const items = JSON.parse(value) as readonly unknown[] | null;
  return tagged(ok(textType, String(items?.length ?? 0)));
}

/** `GET /reso/odata/<EntitySet>('<key>')/<Property>/$value`. Source: OData Protocol 4.01, section 11.2.4.1. */
export async function rawValue(
  request: OdataRequest,
  entitySet: EntitySet,
  address: AddressOf<"Value">,
  services: OdataServices,
): Promise<Answer> {
  request.stages.time("parse", () => parseValue(request));
  if (address.property === null) throw new Refused("no_raw_value", { target: "$value" });
  const asked = findProperty(address.property, entitySet);
  if (asked.collection) throw new Refused("no_raw_value", { target: "$value" });
  const value = await readValue(request, entitySet, asked, address, services);
  return value === "null" ? noContent : tagged(ok(textType, rawText(value, asked)));
}

/** @throws {Refused} `not_found` if the property is hidden or unknown */
function findProperty(name: string, { type }: EntitySet): StructuralProperty {
  const property = type.properties.get(name);
  if (property === undefined) throw new Refused("not_found");
  return property;
}

/** Reads the JSON text of a property's value. */
async function readValue(
  { scope, stages }: OdataRequest,
  entitySet: EntitySet,
  asked: StructuralProperty,
  { key }: EntityAddress,
  services: OdataServices,
): Promise<string> {
  const bound = stages.time("bind", () => bindOne(undefined, entitySet, key));
  const query = { ...bound, select: [{ property: asked, expression: propertyNode(asked) }] };
  const restricted = stages.time("restrict", () => restrict(query, scope));
  const record = await readOne(restricted, true, stages, services);
  const [read] = readRecords(Buffer.from(record).toString());
  return read?.members[0]?.value ?? "null";
}

/** Returns the raw text of a value, without quotes; of a geographic value, its well-known text. */
function rawText(value: string, { type, srid = 0 }: StructuralProperty): string {
  if (!type.startsWith("Edm.Geo")) return value.startsWith('"') ? (JSON.parse(value) as string) : value;
  const family = type.startsWith("Edm.Geography") ? "geography" : "geometry";
  const shape = JSON.parse(value) as GeoShape;
  const literal = printExpression({ kind: "Geo", start: 0, end: 0, family, srid, shape });
  return literal.slice(family.length + 1, -1);
}
