import { QueryError, readAliases, readOption } from "@cadastre/odata";
import type { OrderByItem, SelectItem, SyntaxNode } from "@cadastre/odata/tree";
import { maxSkip, maxTop } from "../catalog.ts";
import { Refused } from "../errors.ts";
import type { ResourcePath } from "./address.ts";
import { type JsonFormat, jsonFormatOf, metadataFormatOf, requireTextResponse } from "./format.ts";
import type { OdataRequest } from "./odata-request.ts";
import { type OptionName, type OptionTexts, readOptionTexts } from "./option-texts.ts";
import { type Preferences, preferencesOf } from "./prefer.ts";

/** System options that the service does not support. */
const notOffered: ReadonlySet<string> = new Set<OptionName>(["$apply", "$compute", "$expand", "$search"]);

const formatOptions = ["$format"] as const;
const rowOptions = ["$format", "$filter", "$ignorecase", "placekey"] as const;
const entityOptions = ["$select", "$ignorenulls", "$format"] as const;
const collectionOptions = [
  "$filter",
  "$select",
  "$orderby",
  "$top",
  "$skip",
  "$skiptoken",
  "$count",
  "$format",
  "$ignorenulls",
  "$ignorecase",
  "placekey",
] as const satisfies readonly OptionName[];

/** Name of a supported option. */
export type OfferedOption = (typeof collectionOptions)[number];

/** Permitted options by kind of address. */
export const optionsOf: Readonly<Record<ResourcePath["kind"], readonly OfferedOption[]>> = {
  ServiceDocument: formatOptions,
  Metadata: formatOptions,
  Collection: collectionOptions,
  Count: rowOptions,
  Entity: entityOptions,
  Property: formatOptions,
  ItemCount: formatOptions,
  Value: formatOptions,
};

/** Parsed options of a request for one entity. */
export type EntityOptions = {
  readonly select: readonly SelectItem[] | undefined;
  readonly format: JsonFormat;
  readonly ignoreNulls: boolean;
  /** Preferences of the client that no option overrides. */
  readonly preferences: Preferences;
};

/** Parsed options that select records. */
export type RowOptions = {
  readonly filter: SyntaxNode | undefined;
  /** True if `$filter` compares strings case-insensitively. */
  readonly ignoreCase: boolean;
  readonly placekey: string | undefined;
  /** Values of the parameter aliases, by name. */
  readonly aliases: Readonly<Record<string, SyntaxNode>>;
};

/** Parsed options of a request for a collection. */
export type CollectionOptions = EntityOptions &
  RowOptions & {
    /** Decoded texts of the options by canonical name, including parameter aliases. */
    readonly texts: OptionTexts["texts"];
    readonly orderBy: readonly OrderByItem[] | undefined;
    readonly top: number | undefined;
    readonly skip: number;
    readonly skipToken: string | undefined;
    readonly count: boolean;
  };

/**
 * Splits and checks the options of the request, without parsing their texts.
 *
 * @throws {Refused} `not_implemented` for an option that the service does not support
 * @throws {QueryError} `option_not_allowed` for an option that this address does not permit
 */
function readOptions(request: OdataRequest, allowed: readonly OptionName[]): OptionTexts {
  const read = readOptionTexts(request.query);
  request.onOptions(read.texts);
  for (const name of read.texts.keys()) {
    if (notOffered.has(name)) throw new Refused("not_implemented", { target: name });
    if (name.startsWith("@") || allowed.some((option) => option === name)) continue;
    const written = read.written(name);
    const takes = allowed.map((option) => `\`${option}\``).join(", ");
    throw new QueryError("option_not_allowed", null, { name: written, allowed: takes }, written);
  }
  return read;
}

export const parseMetadata = (request: OdataRequest): "xml" | "json" =>
  metadataFormatOf(readOptions(request, formatOptions).texts.get("$format"));

/** Parses the options of addresses that only permit `$format`: the service document and one property. */
export const parseFormat = (request: OdataRequest): JsonFormat =>
  toFormat(readOptions(request, formatOptions), request);

/** Checks the options of a text answer: the raw value of a property, or the number of its items. */
export const parseValue = (request: OdataRequest): void =>
  requireTextResponse(readOptions(request, formatOptions).texts.get("$format"));

export function parseCountRequest(request: OdataRequest): RowOptions {
  const read = readOptions(request, rowOptions);
  requireTextResponse(read.texts.get("$format"));
  return toRowOptions(read);
}

export const parseEntity = (request: OdataRequest): EntityOptions => {
  const options = toEntityOptions(readOptions(request, entityOptions), request);
  return { ...options, preferences: { omitNulls: options.preferences.omitNulls } };
};

export function parseCollection(request: OdataRequest): CollectionOptions {
  const read = readOptions(request, collectionOptions);
  const { options, texts, written } = read;
  if (texts.has("$skip") && texts.has("$skiptoken")) {
    throw new QueryError(
      "conflicting_options",
      null,
      { name: "$skip", other: "$skiptoken" },
      written("$skip"),
    );
  }
  return {
    ...toEntityOptions(read, request),
    ...toRowOptions(read),
    texts,
    orderBy: readOption(options, "$orderby"),
    top: atMost(maxTop, "$top", read),
    skip: atMost(maxSkip, "$skip", read) ?? 0,
    skipToken: texts.get("$skiptoken"),
    count: readOption(options, "$count") ?? false,
  };
}

const toFormat = ({ texts }: OptionTexts, { header }: OdataRequest): JsonFormat =>
  jsonFormatOf(texts.get("$format"), header("accept"));

/** Parses the options of entities. `$ignorenulls` takes precedence over the preference `omit-values`. */
function toEntityOptions(read: OptionTexts, request: OdataRequest): EntityOptions {
  const { pageSize, omitNulls } = preferencesOf(request.header("prefer"));
  const isAsked = flag(read, "$ignorenulls");
  const ignoreNulls = read.texts.has("$ignorenulls") ? isAsked : omitNulls !== undefined;
  return {
    select: readOption(read.options, "$select"),
    format: toFormat(read, request),
    ignoreNulls,
    preferences: { pageSize, omitNulls: ignoreNulls ? omitNulls : undefined },
  };
}

const toRowOptions = (read: OptionTexts): RowOptions => ({
  filter: readOption(read.options, "$filter"),
  ignoreCase: flag(read, "$ignorecase"),
  placekey: read.texts.get("placekey"),
  aliases: readAliases(read.options),
});

function flag({ texts }: OptionTexts, name: OptionName): boolean {
  const text = texts.get(name) ?? "false";
  if (/^(?:true|false)$/i.test(text)) return text.toLowerCase() === "true";
  throw invalid(name, "`true` or `false`", text);
}

function atMost(limit: number, name: "$top" | "$skip", { options, texts }: OptionTexts): number | undefined {
  const value = readOption(options, name);
  if (value === undefined || value <= limit) return value;
  const span = { start: 0, end: texts.get(name)?.length ?? 0 };
  throw new QueryError("limit_exceeded", span, { name, limit, actual: value }, name);
}

const invalid = (name: OptionName, expected: string, text: string) =>
  new QueryError("invalid_option", { start: 0, end: text.length }, { name, expected, text }, name);
