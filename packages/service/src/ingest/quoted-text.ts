import type { Row } from "@cadastre/odata";
import type { Field, ResoResource } from "@cadastre/reso";
import { listingTopics } from "../listing-topics.ts";
import { ExactNumber } from "./exact-json.ts";
import type { FaultCode, RecordFault } from "./record-faults.ts";

/** Maximum lengths of quoted text, in UTF-16 code units. */
const longest = { value: 64, key: 255, name: 128 } as const;

/** Fields of Property whose values are never quoted: they are about the seller, or let somebody in. */
const personal: ReadonlySet<string> = new Set(
  [
    listingTopics.private_remarks,
    listingTopics.showing,
    listingTopics.owner,
    listingTopics.agent_contacts,
  ].flatMap(({ fields }): readonly string[] => fields),
);

/** Faults whose value is a code or a key, so that it is quoted even if the field is a text. */
const codes: ReadonlySet<FaultCode> = new Set([
  "invalid_placekey",
  "unknown_lookup_value",
  "wrong_system",
  "duplicate_key",
  "foreign_key",
  "unknown_media",
  "unknown_listing",
]);

/**
 * Returns the value at fault for the rejects file, cut to a maximum length. Undefined if there is none, or if it may be personal: a free
 * text, a private field of a listing, or a field that the resource does not have.
 */
export function rejectedValue(
  { field: name, code }: RecordFault,
  { fields }: ResoResource,
  record: Row,
): string | undefined {
  const field = name === null ? undefined : fields.find((one) => one.name === name);
  if (field === undefined || code === "foreign_field" || code === "missing_field") return undefined;
  if (personal.has(field.name) || (isText(field) && !codes.has(code))) return undefined;
  return cut(textOf(record[field.name]), longest.value);
}

const isText = ({ type, collection }: Field): boolean => type === "Edm.String" && !collection;

/** Returns the key of a record, cut to a maximum length. Null if it has none. */
export function quotedKey(key: unknown): string | null {
  return typeof key === "string" && key !== "" ? cut(key, longest.key) : null;
}

/** Returns a name of a source, cut to a maximum length. */
export const quotedName = (name: string): string => cut(name, longest.name);

/** Returns text of a source that is safe in a terminal: control characters replaced, and cut to `most` UTF-16 code units. */
export function cut(text: string, most: number): string {
  const kept = text
    .slice(0, most)
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, "?");
  return text.length > most ? `${kept}…` : kept;
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return JSON.stringify(value, (_, one: unknown) => (one instanceof ExactNumber ? one.text : one)) ?? "";
}
