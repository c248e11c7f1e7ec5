import { writeFile } from "node:fs/promises";
import { createInterface } from "node:readline/promises";
import { defaultRetryPolicy } from "@cadastre/client/http";
import { Command, Option } from "commander";
import { maxTop } from "../../catalog.ts";
import { currentCatalog } from "../../data/catalogs.ts";
import { fileReason } from "../../file-error.ts";
import { type FieldVerdict, type Proposal, propose } from "../../learn/propose.ts";
import { readSource } from "../../learn/read-source.ts";
import { createFrom } from "../catalog.ts";
import { withServiceRegistry } from "../data.ts";
import { type FeedKeySource, readFeedKey } from "../feed-key.ts";
import { withAdditions } from "../field/add-fields.ts";
import { CommandRefused, printMessage, printResult } from "../outcome.ts";
import { number } from "../progress.ts";
import { editCatalog, printChange } from "./change-catalog.ts";
import { requireSystem } from "./require-system.ts";

type Options = FeedKeySource & {
  readonly metadata: string;
  readonly lookups?: string;
  readonly prefixNames?: true;
  readonly closedLookups?: true;
  readonly mappingOut?: string;
  readonly out?: string;
  readonly json?: true;
  readonly apply?: true;
  readonly yes?: true;
};

/** `cadastre system learn <system>` */
export const learnCommand = (): Command =>
  new Command("learn")
    .description(
      "Propose the local fields and lookups of a system from the $metadata of its source. Nothing changes without --apply.",
    )
    .argument("<system>", "id of the system, as `system list` shows it")
    .requiredOption(
      "--metadata <place>",
      "file of CSDL XML or JSON, or address of a service or of its $metadata, whose Lookup and Field are read too",
    )
    .option("--lookups <place>", "file or address of records of Lookup or Field")
    .addOption(new Option("--key-env <name>", "variable that holds the API key").conflicts("keyFile"))
    .option("--key-file <file>", "file that holds the API key")
    .option("--prefix-names", "begin the names of local fields with the prefix of the system")
    .option("--closed-lookups", "lookups of the system take no further values")
    .option("--mapping-out <file>", "write the changed names to a new file, as JSON: `rename` by resource")
    .option("--out <file>", "write the fields and lookups to a new file, as `field import` takes them")
    .addOption(new Option("--json", "write the result for machines"))
    .option("--apply", "add the fields and lookups to the catalog")
    .option("--yes", "with --apply: do not ask")
    .action(learn);

async function learn(id: string, options: Options): Promise<void> {
  const schema = await readSource(
    { metadata: options.metadata, lookups: options.lookups },
    {
      apiKey: await readFeedKey(options),
      pageSize: maxTop,
      retryPolicy: defaultRetryPolicy,
      onRetry: (reason, pause) => printMessage(`  ${reason}: again in ${(pause / 1000).toFixed(1)} s`),
    },
  );
  const proposal = await withServiceRegistry(async ({ catalogs }) => {
    const { catalog } = await currentCatalog(catalogs);
    const { prefixNames = false, closedLookups = false } = options;
    const found = propose(schema, requireSystem(catalog, id), catalog, { prefixNames, closedLookups });
    createFrom(options.metadata, withAdditions(catalog.definition, id, found));
    return found;
  });
  const { fields, lookups, verdicts, notes } = proposal;
  printResult(
    options.json
      ? JSON.stringify({ fields, lookups, verdicts, notes }, null, 2)
      : describe(id, proposal).join("\n"),
  );
  if (options.out !== undefined) await writeNew(options.out, { fields, lookups });
  if (options.mappingOut !== undefined) await writeNew(options.mappingOut, { rename: renamesOf(verdicts) });
  if (!options.apply) return;
  const count = Object.values(fields).flat().length;
  if (count === 0 && Object.keys(lookups).length === 0) return printMessage("Nothing to apply.");
  await requireConsent(id, options);
  const changed = await editCatalog({
    action: "field.add",
    system: id,
    change: (definition) => withAdditions(definition, id, proposal),
    faultsOf: (path) => `${options.metadata}: ${path.replace(/^systems\[\d+\]\.?/, "")}`,
  });
  printChange(`${id} has the ${number(count)} fields of ${options.metadata}.`, changed);
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

/** Returns the names that change, from the source's to the service's, by resource. */
function renamesOf(verdicts: readonly FieldVerdict[]): Readonly<Record<string, Record<string, string>>> {
  const renames: Record<string, Record<string, string>> = {};
  for (const { resource, name, renamedTo } of verdicts)
    if (renamedTo !== undefined) renames[resource] = { ...renames[resource], [name]: renamedTo };
  return renames;
}

/** Returns a line for each difference: `+` added, `!` clash, `-` left out. Then the counts. */
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
    ([name, list]) => `+ lookup ${name} of ${id}: ${number(list.length)} values`,
  );
  const signs: Partial<Record<FieldVerdict["verdict"], string>> = { clash: "!", "left-out": "-" };
  const others = verdicts.flatMap(({ resource, name, verdict, reason }) => {
    const sign = signs[verdict];
    return sign === undefined ? [] : [`${sign} ${resource}/${name}: ${reason}`];
  });
  const count = (verdict: FieldVerdict["verdict"]) =>
    number(verdicts.filter((one) => one.verdict === verdict).length);
  const total = `${count("standard")} standard fields, ${count("local")} local fields to add, ${count("known")} known already, ${count("clash")} clashes, ${count("left-out")} left out.`;
  return [...added, ...values, ...others, ...notes.map((note) => `! ${note}`), total];
}
