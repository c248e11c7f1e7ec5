import { QueryError, readAliases, readOption } from "@cadastre/odata";
import type {
  ComputeItem,
  ExpandItem,
  OrderByItem,
  SearchNode,
  SelectItem,
  SyntaxNode,
  Transformation,
} from "@cadastre/odata/tree";
import { ProtocolError } from "../errors.ts";
import { type FileFormat, fileFormatOf } from "./file-format.ts";
import {
  type JsonFormat,
  jsonFormatOf,
  metadataFormatOf,
  minimalJson,
  requireTextResponse,
} from "./format.ts";
import type { OdataRequest } from "./odata-request.ts";
import { type OptionName, type OptionTexts, readOptionTexts } from "./option-texts.ts";
import { type Preferences, preferencesOf, trackChangesOf } from "./prefer.ts";
import type { ResourcePath } from "./resource-address.ts";

const formatOptions = ["$format"] as const;

/** Options of OData by kind of address. A host may offer its own for collections and counts too, and switch any off. */
const optionsOf: Readonly<Record<ResourcePath["kind"], readonly OptionName[]>> = {
  ServiceDocument: formatOptions,
  Metadata: formatOptions,
  Collection: [
    "$apply",
    "$filter",
    "$search",
    "$compute",
    "$select",
    "$expand",
    "$orderby",
    "$top",
    "$skip",
    "$skiptoken",
    "$deltatoken",
    "$count",
    "$format",
    "$ignorenulls",
    "$ignorecase",
  ],
  Count: ["$format", "$apply", "$filter", "$search", "$ignorecase"],
  Entity: ["$compute", "$select", "$expand", "$ignorenulls", "$format"],
  Property: formatOptions,
  ItemCount: formatOptions,
  Value: formatOptions,
};

/** Kinds of address that take the host's own options. */
const takesOwn: ReadonlySet<ResourcePath["kind"]> = new Set(["Collection", "Count"]);

/** The options that a service offers, and the limits of their values. */
export type OptionRules = {
  /** System options that are refused. */
  readonly switchedOff: ReadonlySet<string>;
  /** The host's own options, by name in lower case. */
  readonly ownOptions: ReadonlyMap<string, unknown>;
  readonly maxTop: number;
  /** Largest `$top` with `$expand`. */
  readonly maxTopExpanded: number;
  readonly maxSkip: number;
};

/** Returns the names of the options that an address takes. */
export const offeredOptions = (
  kind: ResourcePath["kind"],
  { switchedOff, ownOptions }: Pick<OptionRules, "switchedOff" | "ownOptions">,
): readonly string[] => [
  ...optionsOf[kind].filter((name) => !switchedOff.has(name)),
  ...(takesOwn.has(kind) ? ownOptions.keys() : []),
];

/** Parsed options of a request for one entity. */
export type EntityOptions = {
  readonly select: readonly SelectItem[] | undefined;
  readonly compute: readonly ComputeItem[] | undefined;
  readonly expand: readonly ExpandItem[] | undefined;
  readonly format: JsonFormat;
  readonly ignoreNulls: boolean;
  /** Preferences of the client that no option overrides. */
  readonly preferences: Preferences;
  /** Values of the parameter aliases, by name. */
  readonly aliases: Readonly<Record<string, SyntaxNode>>;
};

/** Parsed options that select records. */
export type RowOptions = {
  /** Transformations whose result the other options select from. */
  readonly apply: readonly Transformation[] | undefined;
  readonly filter: SyntaxNode | undefined;
  readonly search: SearchNode | undefined;
  /** True if `$filter` compares strings case-insensitively. */
  readonly ignoreCase: boolean;
  /** Texts of the host's own options, by name. */
  readonly own: ReadonlyMap<string, string>;
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
    readonly deltaToken: string | undefined;
    /** Name of the preference `track-changes` as the client spells it; undefined without it. */
    readonly trackChanges: string | undefined;
    readonly count: boolean;
    /** Undefined: the answer is JSON, in the format `format`. */
    readonly file: FileFormat | undefined;
  };

/**
 * Splits and checks the options of the request, without parsing their texts.
 *
 * @throws {ProtocolError} `not_implemented` for an option that is switched off, or that no address takes
 * @throws {QueryError} `option_not_allowed` for an option that this address does not permit
 */
function readOptions(request: OdataRequest, kind: ResourcePath["kind"], rules: OptionRules): OptionTexts {
  const read = readOptionTexts(request.query, rules.ownOptions);
  request.onOptions(read.texts);
  if (read.texts.size === 0) return read;
  const allowed = offeredOptions(kind, rules);
  for (const name of read.texts.keys()) {
    if (rules.switchedOff.has(name)) throw new ProtocolError("not_implemented", { target: name });
    if (name.startsWith("@") || allowed.includes(name)) continue;
    const written = read.written(name);
    const takes = allowed.map((option) => `\`${option}\``).join(", ");
    throw new QueryError("option_not_allowed", null, { name: written, allowed: takes }, written);
  }
  return read;
}

export const parseMetadata = (request: OdataRequest, rules: OptionRules): "xml" | "json" =>
  metadataFormatOf(readOptions(request, "Metadata", rules).texts.get("$format"));

/** Parses the options of the service document, and of one property. */
export const parseFormat = (
  request: OdataRequest,
  kind: "ServiceDocument" | "Property",
  rules: OptionRules,
): JsonFormat => toFormat(readOptions(request, kind, rules), request);

/** Checks the options of a text answer: the raw value of a property, or the number of its items. */
export const parseValue = (request: OdataRequest, kind: "ItemCount" | "Value", rules: OptionRules): void =>
  requireTextResponse(readOptions(request, kind, rules).texts.get("$format"));

/** True if the query has a `$deltatoken`: a count then is that of changes, and the address takes the options of a delta link. */
export const isOfChanges = (
  { query }: OdataRequest,
  { ownOptions }: Pick<OptionRules, "ownOptions">,
): boolean => readOptionTexts(query, ownOptions).texts.has("$deltatoken");

export function parseCountRequest(request: OdataRequest, rules: OptionRules): RowOptions {
  const read = readOptions(request, "Count", rules);
  requireTextResponse(read.texts.get("$format"));
  return toRowOptions(read, rules);
}

const noAliases: EntityOptions["aliases"] = {};

export const parseEntity = (request: OdataRequest, rules: OptionRules): EntityOptions => {
  const read = readOptions(request, "Entity", rules);
  const options = toEntityOptions(read, request, rules, toFormat(read, request));
  const { compute, expand, preferences } = options;
  return {
    // Without these there is no expression that could use one.
    aliases: compute === undefined && expand === undefined ? noAliases : readAliases(read.options),
    ...options,
    preferences: { omitNulls: preferences.omitNulls },
  };
};

/** Options that cannot be combined: a link with a token states the position itself. */
const conflicts = [
  ["$skip", "$skiptoken"],
  ...["$skiptoken", "$skip", "$top", "$orderby"].map((name) => [name, "$deltatoken"] as const),
] as const;

export function parseCollection(request: OdataRequest, rules: OptionRules): CollectionOptions {
  const read = readOptions(request, "Collection", rules);
  const { options, texts, written } = read;
  for (const [name, other] of conflicts)
    if (texts.has(name) && texts.has(other))
      throw new QueryError("conflicting_options", null, { name, other }, written(name));
  const file = fileFormatOf(texts.get("$format"), request.header("accept"));
  const format = file === undefined ? toFormat(read, request) : minimalJson;
  const ofEntities = toEntityOptions(read, request, rules, format);
  const ofRows = toRowOptions(read, rules);
  // The copied members are last: V8 of Node 20 adds each member after them by half a microsecond and 400 bytes.
  return {
    file,
    texts,
    orderBy: readOption(options, "$orderby"),
    top: atMost(texts.has("$expand") ? rules.maxTopExpanded : rules.maxTop, "$top", read),
    skip: atMost(rules.maxSkip, "$skip", read) ?? 0,
    skipToken: texts.get("$skiptoken"),
    deltaToken: texts.get("$deltatoken"),
    trackChanges: trackChangesOf(request.header("prefer")),
    count: readOption(options, "$count") ?? false,
    ...ofEntities,
    ...ofRows,
  };
}

const toFormat = ({ texts }: OptionTexts, { header }: OdataRequest): JsonFormat =>
  jsonFormatOf(texts.get("$format"), header("accept"));

/** Parses the options of entities. `$ignorenulls` takes precedence over the preference `omit-values`. */
function toEntityOptions(
  read: OptionTexts,
  request: OdataRequest,
  { maxTop, switchedOff }: Pick<OptionRules, "maxTop" | "switchedOff">,
  format: JsonFormat,
): Omit<EntityOptions, "aliases"> {
  const { options } = read;
  const expand = readOption(options, "$expand");
  if (expand !== undefined && switchedOff.has("$compute") && computesWithin(expand))
    throw new ProtocolError("not_implemented", { target: "$compute" });
  const { pageSize, omitNulls } = preferencesOf(request.header("prefer"), maxTop);
  const isAsked = flag(read, "$ignorenulls");
  const ignoreNulls = read.texts.has("$ignorenulls") ? isAsked : omitNulls !== undefined;
  return {
    select: readOption(options, "$select"),
    compute: readOption(options, "$compute"),
    expand,
    format,
    ignoreNulls,
    preferences: { pageSize, omitNulls: ignoreNulls ? omitNulls : undefined },
  };
}

/** True if an item of `$expand`, on any level, has `$compute` among its options. */
const computesWithin = (items: readonly ExpandItem[]): boolean =>
  items.some(
    ({ options }) =>
      options?.compute !== undefined || (options?.expand !== undefined && computesWithin(options.expand)),
  );

const noOptions: ReadonlyMap<string, string> = new Map();

function toRowOptions(read: OptionTexts, { ownOptions }: Pick<OptionRules, "ownOptions">): RowOptions {
  const own = [...read.texts].filter(([name]) => ownOptions.has(name));
  return {
    apply: readOption(read.options, "$apply"),
    filter: readOption(read.options, "$filter"),
    search: readOption(read.options, "$search"),
    ignoreCase: flag(read, "$ignorecase"),
    own: own.length === 0 ? noOptions : new Map(own),
    aliases: readAliases(read.options),
  };
}

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
