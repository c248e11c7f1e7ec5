import { Command } from "commander";
import type { Connection } from "../http/connection.ts";
import { followReplica } from "../replicate/follow-replica.ts";
import { openReplica } from "../replicate/open-replica.ts";
import {
  type ReplicationOptions,
  type ReplicationReport,
  replicate,
  type WalkReason,
} from "../replicate/replicate.ts";
import { withElapsed } from "../terminal/elapsed.ts";
import { printMessage, printResult } from "../terminal/output.ts";
import {
  type ConnectionFlags,
  connected,
  jsonOption,
  parseCount,
  type TableFlags,
  withConnection,
  withTables,
} from "./options.ts";

type Flags = ConnectionFlags &
  TableFlags & {
    readonly into: string;
    readonly filter?: string;
    readonly select?: string;
    /** Name of the key field. */
    readonly key?: string;
    readonly follow?: true;
    /** Longest pause between two looks, in seconds. */
    readonly poll: number;
    readonly json?: true;
  };

/**
 * `cadastre-client replicate <resource>`: copies an entity set by OData to a folder or a database. Later runs apply what has changed or was
 * removed, by delta links; with `--follow` it goes on until a signal.
 */
export const replicateCommand = (): Command =>
  withTables(
    withConnection(
      new Command("replicate")
        .description("Copy an entity set by OData; later runs apply what has changed or was removed.")
        .argument("<resource>", "entity set, such as Property")
        .requiredOption("--into <target>", "a folder, sqlite:<file>, postgres: or postgres://…")
        .option("--filter <filter>", "`$filter` that every record passes")
        .option("--select <fields>", "`$select` of the records")
        .option("--key <field>", "key field (default: ListingKey of Property, <Resource>Key of others)")
        .option("--follow", "go on, and keep the copy current")
        .option("--poll <seconds>", "with --follow, longest pause between two looks", parseCount, 300)
        .addOption(jsonOption()),
    ),
  ).action((resource: string, flags: Flags) =>
    connected(flags, async (connection) => {
      const replica = await openReplica(flags.into, flags);
      const { filter, select, key } = flags;
      const options = { resource, replica, filter, select: select?.split(","), keyField: key };
      try {
        await (flags.follow ? follow : once)(connection, { ...options, ...progressOf(resource) }, flags);
      } finally {
        await replica.close();
      }
    }),
  );

type Run = (connection: Connection, options: ReplicationOptions, flags: Flags) => Promise<void>;

const once: Run = async (connection, options, { json }) => {
  const report = await withElapsed(`copying ${options.resource}`, () => replicate(connection, options));
  if (json) printResult(JSON.stringify(report));
  else for (const line of summaryLines(report, true)) printMessage(line);
};

const follow: Run = async (connection, options, { json, poll }) => {
  let told: string | undefined;
  await followReplica(connection, {
    ...options,
    pauses: [Math.min(5, poll) * 1000, poll * 1000],
    onReport: (report) => {
      const isNews = report.next !== told || report.by === "walk";
      told = report.next;
      // Records of the last timestamp are read each time.
      if (!isNews && report.removed === 0 && (report.by === "timestamps" || report.read === 0)) return;
      if (json) printResult(JSON.stringify(report));
      else for (const line of summaryLines(report, isNews)) printMessage(line);
    },
    onPause: ({ code, message }, pause) => printMessage(`  ${code}: ${message}; again in ${pause / 1000} s`),
  });
};

/** Number of records after which the progress is told. */
const toldEvery = 10_000;

function progressOf(resource: string): Required<Pick<ReplicationOptions, "onPage" | "onWalk">> {
  let told = 0;
  return {
    onPage: (read) => {
      if (read < told) told = 0;
      if (read - told < toldEvery) return;
      told = read;
      printMessage(`  ${read} records`);
    },
    onWalk: (reason, code) => {
      const words = walkWords[reason];
      if (words === undefined) return;
      printMessage(
        `${words}${code === undefined ? "" : ` (\`${code}\`)`}: all records of ${resource} are read again.`,
      );
    },
  };
}

/** Reasons for reading all records, except at the first time. */
const walkWords: Readonly<Record<WalkReason, string | undefined>> = {
  first: undefined,
  query: "The copy was made with another --filter, --select or --key",
  expired: "The service does not know the link of the copy any more",
  lost: "The table of the copy was dropped",
  tracked: "The service gives delta links now",
};

/** @param tells true to say how the next run goes on */
function summaryLines(
  { resource, read, removed, by, since, next }: ReplicationReport,
  tells: boolean,
): readonly string[] {
  const from = since === null ? "" : ` since ${since}`;
  const line =
    by === "delta"
      ? `Applied ${read} changed records and ${removed} removals of ${resource}.`
      : `Read ${read} records of ${resource}${from}${removed > 0 ? `, and removed ${removed}` : ""}.`;
  return tells ? [line, nextWords[next]] : [line];
}

const nextWords: Readonly<Record<ReplicationReport["next"], string>> = {
  delta: "What changes from now on is found by a delta link.",
  timestamps:
    "The service gives no delta link for this: changes are found by ModificationTimestamp, and removals by comparing all keys.",
};
