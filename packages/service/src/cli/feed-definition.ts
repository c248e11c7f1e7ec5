import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { type Catalog, type RecordName, recordNames } from "@cadastre/reso";
import { type Command, InvalidArgumentError, Option } from "commander";
import type { FeedDefinition } from "../feeds/definition.ts";
import { fileReason } from "../file-error.ts";
import { parseMapping } from "../ingest/mapping-file.ts";
import { sourceNamed } from "../ingest/sources.ts";
import type { DeletionChoice } from "../replicate/deletion-choice.ts";
import { feedUrl } from "../replicate/feed.ts";
import { type Paging, pagings } from "../replicate/pages.ts";
import { type CredentialOptions, credentialsOf, withCredentialOptions } from "./feed-credentials.ts";
import { CommandRefused, WrongUsage } from "./outcome.ts";
import { deletionsOption, parseRowCount } from "./staging-options.ts";
import { parsePeriod } from "./times.ts";

/** Options that define a feed. */
export type FeedSettings = CredentialOptions & {
  readonly source?: string;
  readonly resource?: readonly RecordName[];
  readonly replicate?: string;
  readonly files?: string;
  readonly commonFormat?: string;
  readonly every?: number;
  readonly fullEvery?: number;
  readonly deletions?: DeletionChoice;
  readonly full?: boolean;
  readonly mapping?: string;
  readonly paging?: Paging;
  readonly filter?: string;
  readonly select?: string;
  readonly maxRejects?: number;
};

/** Adds the options that define a feed to a command. */
export const withFeedOptions = (command: Command): Command =>
  withCredentialOptions(
    command
      .option("--source <source>", "id of the system of the records, see `cadastre system list`")
      .option(
        "--resource <resources>",
        `what the records are: ${recordNames.join(", ")}; several by commas`,
        parseResources,
      )
      .addOption(
        new Option("--replicate <url>", "service root of a RESO Web API").conflicts([
          "files",
          "commonFormat",
        ]),
      )
      .addOption(
        new Option(
          "--files <glob>",
          "files, with * and ? in the name; {resource} stands for each resource",
        ).conflicts("commonFormat"),
      )
      .option(
        "--common-format <url>",
        "address of a RESO Common Format document; {resource} stands for each resource",
      )
      .option("--every <period>", "time between two runs, such as 15m, 6h or 1d (default: 15m)", parsePeriod)
      .option(
        "--full-every <period>",
        "compare all keys so often, and delete what the source has no more",
        parsePeriod,
      )
      .addOption(deletionsOption())
      .option("--full", "each file or document holds all records of the source")
      .option("--no-full", "each file or document holds changed records")
      .option("--mapping <file>", "YAML or JSON that says how its fields and values become ours")
      .addOption(
        new Option("--paging <paging>", "how pages of a Web API follow each other (default: auto)").choices(
          pagings,
        ),
      )
      .option("--filter <filter>", "`$filter` that every record of a Web API must pass")
      .option("--select <fields>", "`$select` of the records of a Web API")
      .option(
        "--max-rejects <count>",
        "stop a run if more records than this are not taken (default: half of them, and 100,000)",
        parseRowCount,
      ),
  );

function parseResources(text: string): readonly RecordName[] {
  const names = text.split(",").map((name) => name.trim());
  const known = names.map((name) => recordNames.find((one) => one === name));
  const unknown = names.filter((_, i) => known[i] === undefined);
  if (unknown.length > 0)
    throw new InvalidArgumentError(
      `No resource \`${unknown.join(", ")}\`. Allowed are ${recordNames.join(", ")}.`,
    );
  return [...new Set(known.filter((name) => name !== undefined))];
}

const usualPeriod = 15 * 60_000;

/**
 * Returns the definition that the options give, on top of an earlier one.
 *
 * @throws {CommandRefused} if something is missing, or options contradict each other
 * @throws {IngestError} if the mapping has faults
 */
export async function definitionFrom(
  catalog: Catalog,
  options: FeedSettings,
  before?: FeedDefinition,
): Promise<FeedDefinition> {
  const place = placeOf(options) ?? before;
  const source = options.source ?? before?.source;
  const resources = options.resource ?? before?.resources;
  const missing = [
    ...(source === undefined ? ["--source <source>"] : []),
    ...(resources === undefined ? ["--resource <resources>"] : []),
    ...(place === undefined ? ["one of --replicate <url>, --files <glob> and --common-format <url>"] : []),
  ];
  if (source === undefined || resources === undefined || place === undefined)
    throw new WrongUsage(`the feed needs ${missing.join(", ")}`);
  sourceNamed(catalog, source);
  const { kind, location } = place;
  const credentials = credentialsOf(options) ?? before?.credentials;
  if (kind === "files" && credentials !== undefined)
    throw new WrongUsage("files need no credentials: leave them out");
  if (kind !== "files") feedUrl(location, credentials !== undefined);
  if (kind !== "replicate" && resources.length > 1 && !location.includes("{resource}"))
    throw new WrongUsage("with several resources the place must have {resource} in it, for the name of each");
  const given = {
    kind,
    location,
    source,
    resources: [...resources],
    every: options.every ?? before?.every ?? usualPeriod,
    credentials,
    mapping: options.mapping === undefined ? before?.mapping : await mappingText(catalog, options.mapping),
    paging: options.paging ?? before?.paging,
    filter: options.filter ?? before?.filter,
    select: options.select ?? before?.select,
    fullEvery: options.fullEvery ?? before?.fullEvery,
    deletions: options.deletions === "none" ? undefined : (options.deletions ?? before?.deletions),
    full: options.full ?? before?.full,
    maxRejects: options.maxRejects ?? before?.maxRejects,
  };
  requireFitting(given);
  return given;
}

/** Options that only one kind of feed has. @throws {CommandRefused} */
function requireFitting({ kind, paging, filter, select, fullEvery, deletions, full }: FeedDefinition): void {
  const unfit = Object.entries(
    kind === "replicate"
      ? { "--full (use --full-every)": full }
      : {
          "--paging": paging,
          "--filter": filter,
          "--select": select,
          "--full-every": fullEvery,
          "--deletions": deletions,
        },
  ).filter(([, value]) => value !== undefined && value !== false);
  if (unfit.length > 0)
    throw new WrongUsage(`a feed by --${kind} has no ${unfit.map(([name]) => name).join(", ")}`);
}

async function mappingText(
  catalog: Catalog,
  file: string,
): Promise<{ readonly file: string; readonly text: string }> {
  const text = await readFile(file, "utf8").catch((cause: NodeJS.ErrnoException) => {
    throw new CommandRefused(`${file} cannot be read: ${fileReason(cause)}`, { cause });
  });
  parseMapping(catalog, text, file);
  return { file, text };
}

function placeOf(options: FeedSettings): Pick<FeedDefinition, "kind" | "location"> | undefined {
  const { replicate, files, commonFormat } = options;
  if (replicate !== undefined) return { kind: "replicate", location: replicate };
  // A worker has another working folder.
  if (files !== undefined) return { kind: "files", location: resolve(files) };
  return commonFormat === undefined ? undefined : { kind: "common-format", location: commonFormat };
}
