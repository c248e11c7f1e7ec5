import type { EntitySet, StructuralProperty } from "@cadastre/odata";
import { keyLiteral } from "@cadastre/odata/run";
import { type GeoShape, printExpression, propertyNode } from "@cadastre/odata/tree";
import { ProtocolError } from "../errors.ts";
import { textType } from "../protocol/format.ts";
import type { OdataRequest } from "../protocol/odata-request.ts";
import { parseFormat, parseValue } from "../protocol/query-options.ts";
import type { EntityAddress, EntityKey, ResourcePath } from "../protocol/resource-address.ts";
import { type Answer, noContent, ok, tagged } from "./answer.ts";
import type { AnswerSession } from "./answer-session.ts";
import { readOne } from "./entity.ts";
import { bindOne } from "./read-query.ts";
import { readRecords } from "./record-members.ts";
import { renderProperty } from "./render.ts";
import { suggested } from "./service-document.ts";

type AddressOf<Kind> = Extract<ResourcePath, { readonly kind: Kind }>;

/** `GET <root>/<EntitySet>('<key>')/<Property>`. Source: OData Protocol 4.01, section 11.2.4. */
export async function individualProperty(
  request: OdataRequest,
  entitySet: EntitySet,
  address: AddressOf<"Property">,
  session: AnswerSession,
): Promise<Answer> {
  const { root, stages } = request;
  const format = stages.time("parse", () => parseFormat(request, "Property", session.settings));
  const asked = findProperty(address.property, entitySet);
  const value = await readValue(request, entitySet, asked, address, session);
  if (value === "null") return noContent;
  const entity = { root, entitySet, key: predicateOf(address.key) };
  return stages.time("render", () => tagged(renderProperty(entity, asked, value, format)));
}

/** `GET <root>/<EntitySet>('<key>')/<Property>/$count`. Source: OData URL Conventions 4.01, section 4.8. */
export async function itemCount(
  request: OdataRequest,
  entitySet: EntitySet,
  address: AddressOf<"ItemCount">,
  session: AnswerSession,
): Promise<Answer> {
  request.stages.time("parse", () => parseValue(request, "ItemCount", session.settings));
  const asked = findProperty(address.property, entitySet);
  if (!asked.collection)
    throw new ProtocolError("not_found", {
      reason: `\`${asked.name}\` is no collection, so it has no \`$count\``,
    });
  const value = await readValue(request, entitySet, asked, address, session);
  const items = JSON.parse(value) as readonly unknown[] | null;
  return tagged(ok(textType, String(items?.length ?? 0)));
}

/** `GET <root>/<EntitySet>('<key>')/<Property>/$value`. Source: OData Protocol 4.01, section 11.2.4.1. */
export async function rawValue(
  request: OdataRequest,
  entitySet: EntitySet,
  address: AddressOf<"Value">,
  session: AnswerSession,
): Promise<Answer> {
  request.stages.time("parse", () => parseValue(request, "Value", session.settings));
  if (address.property === null) throw new ProtocolError("no_raw_value", { target: "$value" });
  const asked = findProperty(address.property, entitySet);
  if (asked.collection) throw new ProtocolError("no_raw_value", { target: "$value" });
  const value = await readValue(request, entitySet, asked, address, session);
  return value === "null" ? noContent : tagged(ok(textType, rawText(value, asked)));
}

/** @throws {ProtocolError} `not_found` if the property is hidden or unknown */
function findProperty(name: string, { name: set, type }: EntitySet): StructuralProperty {
  const property = type.properties.get(name);
  if (property !== undefined) return property;
  throw new ProtocolError("not_found", {
    reason: `\`${set}\` has no property \`${name}\`${suggested(name, type.properties.values())}`,
  });
}

/** Reads the JSON text of a property's value. */
async function readValue(
  request: OdataRequest,
  entitySet: EntitySet,
  asked: StructuralProperty,
  { key }: EntityAddress,
  session: AnswerSession,
): Promise<string> {
  const bound = request.stages.time("bind", () => bindOne({}, entitySet, key));
  const query = { ...bound, select: [{ property: asked, expression: propertyNode(asked) }] };
  const record = await readOne(request, query, { nulls: true }, session);
  const [read] = readRecords(Buffer.from(record).toString());
  return read?.members[0]?.value ?? "null";
}

/** Writes a key as in a URL: `'L1'`, `1`, or `Id=1,Part='a'`. */
export const predicateOf = (key: EntityKey): string =>
  key
    .map(({ name, value }) => {
      const text =
        typeof value === "string" || (value.kind === "Literal" && value.type === "String")
          ? keyLiteral(typeof value === "string" ? value : String(value.value))
          : encodeURIComponent(printExpression(value));
      return name === null || key.length === 1 ? text : `${name}=${text}`;
    })
    .join();

/** Returns the raw text of a value, without quotes; of a geographic value, its well-known text. */
function rawText(value: string, { type, srid = 0 }: StructuralProperty): string {
  if (!type.startsWith("Edm.Geo")) return value.startsWith('"') ? (JSON.parse(value) as string) : value;
  const family = type.startsWith("Edm.Geography") ? "geography" : "geometry";
  const shape = JSON.parse(value) as GeoShape;
  const literal = printExpression({ kind: "Geo", start: 0, end: 0, family, srid, shape });
  return literal.slice(family.length + 1, -1);
}
