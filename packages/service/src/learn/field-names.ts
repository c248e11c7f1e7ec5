import type { Field } from "@cadastre/reso";
import { plainName } from "../ingest/csv-text.ts";
import type { FeedField } from "./feed-schema.ts";

/**
 * Returns the field that a name stands for: that of the name, or else the one that has it as a synonym of the dictionary, or in another
 * form, such as `list_price` or `List Price`.
 */
export function fieldAlsoCalled(fields: readonly Field[], name: string): Field | undefined {
  const plain = plainName(name);
  return (
    fields.find((field) => field.name === name) ??
    fields.find((field) => [field.name, ...field.synonyms].some((one) => plainName(one) === plain))
  );
}

/** Returns the OData identifier for a name: `Dock length (ft)` is `DockLengthFt`. Undefined if it has none. */
export function identifierOf(name: string): string | undefined {
  const identifier = name
    .normalize("NFD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/\W+(\w?)/g, (_, letter: string) => letter.toUpperCase());
  return /^[A-Za-z_]\w{0,127}$/.test(identifier) ? identifier : undefined;
}

/** Returns the words of a field's name, without its prefix: `NSM_DockLength` is `Dock Length`. */
export const wordsOfName = (name: string): string =>
  name
    .replace(/^[A-Z0-9]+_/, "")
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_/g, " ")
    .trim();

/** Returns the display name of a field: the source's, or the words of its name, without a prefix. */
export function displayNameOf({ name, displayName }: FeedField): string {
  const given = displayName?.replaceAll(/\p{Cc}+/gu, " ").trim();
  if (given) return given.slice(0, 128);
  const plain = name.replaceAll(/\p{Cc}+/gu, " ").trim();
  return (wordsOfName(plain) || plain).slice(0, 128);
}
