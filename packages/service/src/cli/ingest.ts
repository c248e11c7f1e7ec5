import { type ResourceName, resourceNames } from "@cadastre/reso";
import { SingleBar } from "cli-progress";
import { Command, InvalidArgumentError, Option } from "commander";
import { type Format, formatOf, formats } from "../ingest/format.ts";
import { type Counts, ingest, type Mode } from "../ingest/ingest.ts";
import { type Input, withInput } from "../ingest/input.ts";
import { type Source, sources } from "../ingest/sources.ts";
import { withServiceStore } from "./data.ts";
import { CommandRefused, print, say } from "./outcome.ts";

type Options = {
  readonly resource: ResourceName;
  readonly source: string;
  readonly format?: Format;
  readonly full?: true;
  readonly delete?: true;
  readonly rejects?: string;
  readonly maxRejects?: number;
  readonly json?: true;
};

/** `cadastre ingest <file>` */
export const ingestCommand = (): Command =>
  new Command("ingest")
    .description("Stage the records of a file. Nothing of them is served before `cadastre publish`.")
    .argument("<file>", "RESO Common Format, JSON lines or CSV, plain or gzip; - for standard input")
    .addOption(
      new Option("--resource <resource>", "what the records are")
        .choices(resourceNames)
        .makeOptionMandatory(),
    )
    .addOption(
      new Option("--source <source>", "where they come from")
        .choices(sources.map(({ name }) => name))
        .makeOptionMandatory(),
    )
    .addOption(new Option("--format <format>", "by default that of the file's name or text").choices(formats))
    .option("--full", "the file holds all records of the source: those that it does not name are deleted")
    .addOption(
      new Option("--delete", "the file holds keys of records to delete, one a line").conflicts("full"),
    )
    .option("--rejects <file>", "where to write what is not taken (default: <file>.rejects.jsonl)")
    .option("--max-rejects <count>", "stop if more records than this are not taken", parseCount)
    .option("--json", "write the result for machines")
    .action((file: string, options: Options) =>
      withServiceStore((store, folder, { identities: crosswalk }) =>
        withInput(file, folder.path, async (input) => {
          const { resource, maxRejects = Number.POSITIVE_INFINITY } = options;
          const rejects = options.rejects ?? `${file === "-" ? "stdin" : file}.rejects.jsonl`;
          const source = sourceNamed(options.source);
          const task = { store, crosswalk, resource, source, input, rejects, maxRejects };
          const mode = modeOf(options);
          const format = mode === "delete" ? "jsonl" : (options.format ?? formatOf(input.name, input.start));
          const progress = showProgress(input);
          try {
            const report = await ingest({ ...task, mode, format, onProgress: progress.at });
            progress.end();
            if (options.json)
              return print(JSON.stringify({ resource, source: options.source, ...report, rejects }));
            say(summary(report, rejects));
          } finally {
            progress.end();
          }
        }),
      ),
    );

function parseCount(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("It must be a whole number.");
  return Number(text);
}

const modeOf = (options: Options): Mode => (options.full ? "full" : options.delete ? "delete" : "changes");

function sourceNamed(name: string): Source {
  const found = sources.find((source) => source.name === name);
  if (found === undefined) throw new CommandRefused(`there is no source \`${name}\``);
  return found;
}

const number = (value: number) => value.toLocaleString("en-US");

function summary(
  { read, staged, rejected, resumed }: Counts & { readonly resumed: number },
  rejects: string,
): string {
  const before = resumed === 0 ? "" : `, ${number(resumed)} of them by an earlier run`;
  const refused = rejected === 0 ? "" : ` Rejected ${number(rejected)} records: see ${rejects}.`;
  return `Read ${number(read)} records${before}; staged ${number(staged)} changes.${refused}`;
}

/** Records between two lines of progress. */
const reportEvery = 10_000;

/** A bar on a terminal; elsewhere a line from time to time. */
function showProgress({ bytes: of }: Input) {
  if (process.stderr.isTTY) {
    const bar = new SingleBar({ format: "{bar} {percentage}% {read} records", stream: process.stderr });
    bar.start(of, 0, { read: 0 });
    return {
      at: (bytes: number, { read }: Counts) => bar.update(bytes, { read: number(read) }),
      end: () => bar.stop(),
    };
  }
  let reported = 0;
  return {
    at: (_bytes: number, { read }: Counts) => {
      if (read - reported < reportEvery) return;
      reported = read;
      say(`  ${number(read)} records read`);
    },
    end: () => {},
  };
}
