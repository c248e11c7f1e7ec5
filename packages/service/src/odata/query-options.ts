import {
  type OrderByItem,
  QueryError,
  readAlias,
  readOption,
  type SelectItem,
  type SyntaxNode,
} from "@cadastre/odata";
import { maxSkip, maxTop } from "../catalog.ts";
import { Refused } from "../errors.ts";
import { requireJson, requireXml } from "./format.ts";
import type { OdataRequest } from "./odata-request.ts";
import { type OptionName, type OptionTexts, readOptionTexts } from "./option-texts.ts";

/** What the service does not offer, wherever it is asked for. */
const notOffered: ReadonlySet<string> = new Set<OptionName>(["$apply", "$compute", "$expand", "$search"]);

const metadataOptions: readonly OptionName[] = ["$format"];
const entityOptions: readonly OptionName[] = ["$select", "$ignorenulls", "$format"];
const collectionOptions: readonly OptionName[] = [
  ...entityOptions,
  "$filter",
  "$orderby",
  "$top",
  "$skip",
  "$skiptoken",
  "$count",
  "$ignorecase",
  "placekey",
];

/** The options of a request for one entity, parsed. */
export type EntityOptions = {
  readonly select: readonly SelectItem[] | undefined;
  readonly ignoreNulls: boolean;
};

/** The options of a request for a collection, parsed. */
export type CollectionOptions = EntityOptions & {
  /** Decoded text of each option, by canonical name; parameter aliases too. */
  readonly texts: OptionTexts["texts"];
  readonly filter: SyntaxNode | undefined;
  /** Whether `$filter` compares texts without regard to case. */
  readonly ignoreCase: boolean;
  readonly orderBy: readonly OrderByItem[] | undefined;
  readonly top: number | undefined;
  readonly skip: number;
  readonly skipToken: string | undefined;
  readonly count: boolean;
  readonly placekey: string | undefined;
  /** Values of the parameter aliases, by name. */
  readonly aliases: Readonly<Record<string, SyntaxNode>>;
};

/**
 * The options of the request, not yet parsed.
 *
 * @throws {Refused} `not_implemented` for an option that the service does not offer.
 * @throws {QueryError} `unknown_option` for one that this address does not take.
 */
function readOptions(request: OdataRequest, allowed: readonly OptionName[]): OptionTexts {
  const read = readOptionTexts(request.query);
  request.onOptions(read.texts);
  for (const name of read.texts.keys()) {
    if (notOffered.has(name)) throw new Refused("not_implemented", name);
    if (name.startsWith("@") || allowed.some((option) => option === name)) continue;
    throw new QueryError("unknown_option", null, { name }, read.written(name));
  }
  return read;
}

export function parseMetadata(request: OdataRequest): void {
  requireXml(readOptions(request, metadataOptions).texts.get("$format"));
}

export function parseServiceDocument(request: OdataRequest): void {
  requireJson(readOptions(request, ["$format"]).texts.get("$format"));
}

export const parseEntity = (request: OdataRequest): EntityOptions =>
  toEntityOptions(readOptions(request, entityOptions));

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
    ...toEntityOptions(read),
    texts,
    filter: readOption(options, "$filter"),
    ignoreCase: flag(read, "$ignorecase"),
    orderBy: readOption(options, "$orderby"),
    top: atMost(maxTop, "$top", read),
    skip: atMost(maxSkip, "$skip", read) ?? 0,
    skipToken: texts.get("$skiptoken"),
    count: readOption(options, "$count") ?? false,
    placekey: texts.get("placekey"),
    aliases: readAliases(read),
  };
}

function toEntityOptions(read: OptionTexts): EntityOptions {
  requireJson(read.texts.get("$format"));
  return { select: readOption(read.options, "$select"), ignoreNulls: flag(read, "$ignorenulls") };
}

function readAliases({ options }: OptionTexts): Readonly<Record<string, SyntaxNode>> {
  const values = [...options.aliases.keys()].flatMap((name) => {
    const value = readAlias(options, name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(values);
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
