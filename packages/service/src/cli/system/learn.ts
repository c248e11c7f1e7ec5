import { writeFile } from "node:fs/promises";
import { createInterface } from "node:readline/promises";
import { defaultRetryPolicy } from "@cadastre/client/http";
import { type Catalog, type LocalResource, localResources, type OriginatingSystem } from "@cadastre/reso";
import { Command, InvalidArgumentError, Option } from "commander";
import { maxTop } from "../../catalog.ts";
import { currentCatalog } from "../../data/catalogs.ts";
import { fileReason } from "../../file-error.ts";
import { type Format, formats } from "../../ingest/format.ts";
import type { FeedSchema } from "../../learn/feed-schema.ts";
import type { FieldVerdict } from "../../learn/field-verdict.ts";
import { quotedValues } from "../../learn/lookup-values.ts";
import { type Proposal, propose } from "../../learn/propose.ts";
import { readSample } from "../../learn/read-sample.ts";
import { readSource } from "../../learn/read-source.ts";
import { authorizationOf } from "../../replicate/authorization.ts";
import { createFrom } from "../catalog.ts";
import { withServiceRegistry } from "../data.ts";
import { type CredentialOptions, credentialsOf, withCredentialOptions } from "../feed-credentials.ts";
import { withAdditions } from "../field/add-fields.ts";
import { CommandRefused, printMessage, printResult } from "../outcome.ts";
import { counted, number, showItemProgress } from "../progress.ts";
import { editCatalog, printChange } from "./change-catalog.ts";
import { requireSystem } from "./require-system.ts";

type Options = CredentialOptions & {
  readonly metadata?: string;
  readonly sample?: string;
  readonly resource?: LocalResource;
  readonly format?: Format;
  readonly limit?: number;
  readonly rareValues?: true;
  readonly lookups?: string;
  readonly prefixNames?: true;
  readonly ownPrefix?: true;
  readonly closedLookups?: true;
  readonly mappingOut?: string;
  readonly out?: string;
  readonly json?: true;
  readonly apply?: true;
  readonly yes?: true;
};

/** `cadastre system learn <system>` */
export const learnCommand = (): Command =>
  withCredentialOptions(new Command("learn"))
    .description(
      "Propose the local fields and lookups of a system from the $metadata of its source, or from the values of a file of records. Nothing changes without --apply.",
    )
    .argument("<system>", "id of the system, as `system list` shows it")
    .option(
      "--metadata <place>",
      "file of CSDL XML or JSON, or address of a service or of its $metadata, whose Lookup and Field are read too",
    )
    .option("--lookups <place>", "file or address of records of Lookup or Field")
    .option(
      "--sample <file>",
      "file of records, whose values tell the types: RESO Common Format, JSON lines or CSV, plain or gzip",
    )
    .addOption(
      new Option("--resource <resource>", "with --sample: what the records are").choices(localResources),
    )
    .addOption(
      new Option("--format <format>", "with --sample: by default that of the file's name or text").choices(
        formats,
      ),
    )
    .addOption(
      new Option(
        "--limit <count>",
        `with --sample: most records that are read (default: ${usualLimit})`,
      ).argParser(parseLimit),
    )
    .option(
      "--rare-values",
      "with --sample: add also values that fewer than one of 1,000 records have to a lookup that lists its values",
    )
    .addOption(
      new Option("--prefix-names", "begin the names of local fields with the prefix of the system").conflicts(
        "ownPrefix",
      ),
    )
    .option(
      "--own-prefix",
      "take only local fields whose names begin with the prefix of the system: for a source that serves several systems",
    )
    .option("--closed-lookups", "lookups of the system take no further values")
    .option(
      "--mapping-out <file>",
      "write a new mapping file for `ingest --mapping` and `feed add --mapping`: the names that change, the fields that are left out, and the values of enumerations",
    )
    .option("--out <file>", "write the fields and lookups to a new file, as `field import` takes them")
    .addOption(new Option("--json", "write the result for machines"))
    .option("--apply", "add the fields and lookups to the catalog")
    .option("--yes", "with --apply: do not ask")
    .action(learn);

/** Records of a sample that are read by default. */
const usualLimit = 10_000;

function parseLimit(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text))
    throw new InvalidArgumentError("It must be a whole number from 1 to 9999999.");
  return Number(text);
}

/** Options that belong to one of the two sources, with their flags. */
const optionsOf = {
  metadata: {
    lookups: "--lookups",
    tokenFile: "--token-file",
    tokenEnv: "--token-env",
    keyFile: "--key-file",
    keyEnv: "--key-env",
    headerName: "--header-name",
    tokenUrl: "--token-url",
    clientId: "--client-id",
    clientSecretFile: "--client-secret-file",
    clientSecretEnv: "--client-secret-env",
    scope: "--scope",
  },
  sample: { resource: "--resource", format: "--format", limit: "--limit", rareValues: "--rare-values" },
} as const satisfies Record<string, Partial<Record<keyof Options, string>>>;

/** @throws {CommandRefused} unless the options name one source, and belong to it */
function requireOneSource(options: Options): void {
  const { metadata, sample, resource } = options;
  if ((metadata === undefined) === (sample === undefined))
    throw new CommandRefused(
      `give ${metadata === undefined ? "" : "only "}one of --metadata, for the description of a source, and --sample, for a file of its records`,
    );
  const [given, other] =
    metadata === undefined ? (["sample", "metadata"] as const) : (["metadata", "sample"] as const);
  for (const [name, flag] of Object.entries(optionsOf[other]))
    if (options[name as keyof Options] !== undefined)
      throw new CommandRefused(
        `${flag} goes with --${other}, and not with --${given}: allowed with --${given} are ${Object.values(optionsOf[given]).join(", ")}`,
      );
  if (sample !== undefined && resource === undefined)
    throw new CommandRefused(
      `--resource is missing: with --sample, say what the records are: ${localResources.join(", ")}`,
    );
}

/** Reads what the options name. The catalog is that in force. */
async function readSchema(
  options: Options,
  system: OriginatingSystem,
  catalog: Catalog,
): Promise<FeedSchema> {
  const { metadata, lookups, sample, resource, format, limit = usualLimit, rareValues = false } = options;
  if (sample === undefined || resource === undefined)
    return readSource(
      { metadata: metadata ?? "", lookups },
      {
        authorization: authorizationOf(credentialsOf(options)),
        pageSize: maxTop,
        retryPolicy: defaultRetryPolicy,
        onRetry: (reason, pause) => printMessage(`  ${reason}: again in ${(pause / 1000).toFixed(1)} s`),
      },
    );
  const progress = showItemProgress(undefined);
  const read = await readSample(
    { file: sample, resource, format, limit, takesRareValues: rareValues },
    system,
    catalog,
    (records) => progress.at(records, records),
  ).finally(progress.end);
  printMessage(
    `Read ${number(read.records)} records of ${sample}${read.records < limit ? "" : ", as --limit says"}.`,
  );
  return read;
}

async function learn(id: string, options: Options): Promise<void> {
  requireOneSource(options);
  const place = options.sample ?? options.metadata ?? "";
  const proposal = await withServiceRegistry(async ({ catalogs }) => {
    const { catalog } = await currentCatalog(catalogs);
    const system = requireSystem(catalog, id);
    const schema = await readSchema(options, system, catalog);
    const { prefixNames = false, ownPrefix = false, closedLookups = false } = options;
    const found = propose(schema, system, catalog, { prefixNames, ownPrefix, closedLookups });
    createFrom(place, withAdditions(catalog.definition, id, found));
    return { ...found, notes: [...(schema.notes ?? []), ...found.notes] };
  });
  const { fields, lookups, verdicts, notes } = proposal;
  printResult(
    options.json
      ? JSON.stringify({ fields, lookups, verdicts, notes }, null, 2)
      : describe(id, proposal).join("\n"),
  );
  if (options.out !== undefined) await writeNew(options.out, { fields, lookups });
  if (options.mappingOut !== undefined) await writeNew(options.mappingOut, { resources: proposal.mapping });
  if (!options.apply) return;
  const count = Object.values(fields).flat().length;
  if (count === 0 && Object.keys(lookups).length === 0) return printMessage("Nothing to apply.");
  await requireConsent(id, options);
  const changed = await editCatalog({
    action: "field.add",
    system: id,
    change: (definition) => withAdditions(definition, id, proposal),
    faultsOf: (path) => `${place}: ${path.replace(/^systems\[\d+\]\.?/, "")}`,
  });
  printChange(`${id} has the ${counted(count, "field")} of ${place}.`, changed);
}

/** @throws {CommandRefused} unless the operator agrees */
async function requireConsent(id: string, { yes }: Options): Promise<void> {
  if (yes) return;
  if (!process.stdin.isTTY)
    throw new CommandRefused("Nothing was changed: --apply asks on a terminal; give --yes in a script");
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(`Add these to ${id}? [y/N] `).finally(() => terminal.close());
  if (!/^y(?:es)?$/i.test(answer.trim())) throw new CommandRefused("Nothing was changed.");
}

async function writeNew(file: string, content: unknown): Promise<void> {
  await writeFile(file, `${JSON.stringify(content, null, 2)}\n`, { flag: "wx" }).catch(
    (cause: NodeJS.ErrnoException) => {
      throw new CommandRefused(
        cause.code === "EEXIST"
          ? `${file} exists and was not changed: name another file`
          : `${file} cannot be written: ${fileReason(cause)}`,
        { cause },
      );
    },
  );
  printMessage(`Wrote ${file}.`);
}

/** Returns a line for each difference: `+` added, `?` to be looked at, `!` clash, `-` left out. Then the counts. */
function describe(id: string, { fields, lookups, verdicts, notes }: Proposal): readonly string[] {
  const added = Object.entries(fields).flatMap(([resource, list]) =>
    list.map((field) => {
      const { name, type, collection, maxLength, precision, scale, lookup, displayName } = field;
      const facets = [maxLength ?? precision, scale].filter((facet) => facet !== undefined).join(",");
      const text = `${type.replace("Edm.", "")}${facets && `(${facets})`}`;
      const values = lookup === undefined ? "" : ` of lookup ${lookup}`;
      return `+ field ${resource}/${name} of ${id}: ${collection ? `list of ${text}` : text}${values}, \`${displayName}\``;
    }),
  );
  const values = Object.entries(lookups).map(
    ([name, list]) =>
      `+ lookup ${name} of ${id}: ${counted(list.length, "value")}${list.length === 0 ? "" : `, ${quotedValues(list)}`}`,
  );
  const signs: Partial<Record<FieldVerdict["verdict"], string>> = {
    clash: "!",
    "left-out": "-",
    undecided: "?",
    local: "?",
  };
  const others = verdicts.flatMap(({ resource, name, verdict, reason }) => {
    const sign = signs[verdict];
    return sign === undefined || reason === undefined ? [] : [`${sign} ${resource}/${name}: ${reason}`];
  });
  const count = (verdict: FieldVerdict["verdict"]) =>
    number(verdicts.filter((one) => one.verdict === verdict).length);
  const total = `Fields: ${count("standard")} standard that fit, ${count("local")} local to add, ${count("known")} known already, ${count("clash")} clashing, ${count("left-out")} left out${count("undecided") === "0" ? "" : `, ${count("undecided")} undecided`}.`;
  return [...added, ...values, ...others, ...notes.map((note) => `! ${note}`), total];
}
