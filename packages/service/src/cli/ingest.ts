import { type RecordName, recordNames } from "@cadastre/reso";
import { Command, Option } from "commander";
import { endSample } from "../data/notes.ts";
import { type Format, formatOf, formats } from "../ingest/format.ts";
import { type Counts, type IngestMode, type IngestReport, ingest } from "../ingest/ingest.ts";
import { withInput } from "../ingest/input.ts";
import { readMapping } from "../ingest/mapping-file.ts";
import { noRejectLimit, rejectLimit } from "../ingest/reject-limit.ts";
import { rejectsEnding } from "../ingest/rejects.ts";
import { type RoundingChoice, roundingOf } from "../ingest/rounding.ts";
import { sourceNamed } from "../ingest/sources.ts";
import { sampleWarning, withServiceStore } from "./data.ts";
import { printMessage, printResult } from "./outcome.ts";
import { counted, number, showItemProgress } from "./progress.ts";
import { reasonsText, withReasons } from "./reject-reasons.ts";
import {
  allowShrinkOption,
  exactOption,
  maxRejectsOption,
  noteSummary,
  resourceOption,
  roundOption,
  sourceOption,
  stagingJsonOption,
} from "./staging-options.ts";

type Options = RoundingChoice & {
  readonly resource: RecordName;
  readonly source: string;
  readonly format?: Format;
  readonly mapping?: string;
  readonly full?: true;
  readonly delete?: true;
  readonly rejects?: string;
  readonly maxRejects?: number;
  readonly allowShrink?: boolean;
  readonly json?: true;
};

/** `cadastre ingest <file>` */
export const ingestCommand = (): Command =>
  new Command("ingest")
    .description("Stage the records of a file. Nothing of them is served before `cadastre publish`.")
    .argument("<file>", "RESO Common Format, JSON lines or CSV, plain, gzip or zip; - for standard input")
    .addOption(resourceOption(recordNames))
    .addOption(sourceOption())
    .addOption(new Option("--format <format>", "by default that of the file's name or text").choices(formats))
    .option("--mapping <file>", "YAML or JSON that says how its fields and values become ours")
    .option("--full", "the file holds all records of the source: those that it does not name are deleted")
    .addOption(
      new Option("--delete", "the file holds keys of records to delete, one a line").conflicts("full"),
    )
    .option("--rejects <file>", "where to write what is not taken (default: <file>.rejects.jsonl)")
    .addOption(maxRejectsOption())
    .addOption(allowShrinkOption())
    .addOption(roundOption())
    .addOption(exactOption())
    .addOption(stagingJsonOption())
    .action((file: string, options: Options) =>
      withServiceStore((store, folder, { identities: crosswalk }, config) =>
        withInput(file, folder.path, async (input) => {
          const { resource, maxRejects } = options;
          const rejects = options.rejects ?? `${file === "-" ? "stdin" : file}${rejectsEnding}`;
          const source = sourceNamed(store.catalog, options.source);
          const rounding = roundingOf(store.catalog, resource, options);
          const maxShrink = options.allowShrink ? 100 : config.maxShrink;
          const from = { store, crosswalk, resource, source, input, rounding };
          const limit = maxRejects === undefined ? noRejectLimit : rejectLimit(maxRejects);
          const task = { ...from, rejects, rejectLimit: limit, maxShrink };
          const mode = modeOf(options);
          const mapping =
            options.mapping === undefined ? undefined : await readMapping(store.catalog, options.mapping);
          const format = mode === "delete" ? "jsonl" : (options.format ?? formatOf(input));
          if (await endSample(store)) printMessage(sampleWarning(folder));
          const progress = showItemProgress(input.bytes);
          const onProgress = (bytes: number, { read }: Counts) => progress.at(bytes, read);
          const report = await withReasons(options, () =>
            ingest({ ...task, mode, format, mapping, onProgress }).finally(() => progress.end()),
          );
          if (options.json)
            return printResult(JSON.stringify({ resource, source: options.source, ...report, rejects }));
          printMessage(summary(report, rejects));
        }),
      ),
    );

const modeOf = (options: Options): IngestMode =>
  options.full ? "full" : options.delete ? "delete" : "changes";

function summary(report: IngestReport, rejects: string): string {
  const { read, staged, rejected, resumed } = report;
  const before = resumed === 0 ? "" : `, ${number(resumed)} of them by an earlier run`;
  const refused =
    rejected === 0
      ? ""
      : ` Rejected ${counted(rejected, "record")}: see ${rejects}.\n${reasonsText(report.reasons)}`;
  return `Read ${counted(read, "record")}${before}; staged ${counted(staged, "change")}.${noteSummary(report)}${refused}`;
}
