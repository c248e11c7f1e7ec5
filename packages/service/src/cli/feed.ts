import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import type { FeedRecord } from "@cadastre/store/registry";
import { Argument, Command, InvalidArgumentError, Option } from "commander";
import { currentCatalog } from "../data/catalogs.ts";
import { comparingKeys, definitionOf, type FeedDefinition } from "../feeds/definition.ts";
import { runLeased, workerName } from "../feeds/feed-worker.ts";
import { Mutexes } from "../feeds/mutexes.ts";
import { type TriedResource, tryFeed } from "../feeds/try-feed.ts";
import { ExactNumber } from "../ingest/exact-json.ts";
import { createLog } from "../log.ts";
import { audited, auditOf } from "./audited.ts";
import { withServiceRegistry, withServiceStore } from "./data.ts";
import { definitionFrom, type FeedSettings, withFeedOptions } from "./feed-definition.ts";
import { feedJson, feedRow, feedRowHeads, locationText } from "./feed-view.ts";
import { CommandRefused, printMessage, printResult } from "./outcome.ts";
import { counted, number } from "./progress.ts";
import { reasonsText } from "./reject-reasons.ts";
import { parseRowCount, unseenDeletions } from "./staging-options.ts";
import { table } from "./table.ts";

type Output = { readonly json?: true };

const json = () => new Option("--json", "write the result for machines");
const feedName = () => new Argument("<name>", "name of the feed").argParser(parseName);

function parseName(text: string): string {
  if (/^[a-z0-9][a-z0-9_-]{0,62}$/.test(text)) return text;
  throw new InvalidArgumentError("It must be 1 to 63 of a to z, 0 to 9, - and _, such as main-listings.");
}

/** `cadastre feed …` */
export function feedCommand(): Command {
  const group = new Command("feed").description(
    "Keep records current from another system: feeds run by themselves in the service or `cadastre worker`.",
  );
  withFeedOptions(
    group.command("add").description("Add a feed. It is due at once.").addArgument(feedName()),
  ).action(add);
  withFeedOptions(
    group
      .command("change")
      .description("Change what is given of a feed. It is due at once.")
      .addArgument(feedName()),
  )
    .option("--no-credentials", "forget the credentials")
    .action(change);
  group.command("list").description("List the feeds with their state.").addOption(json()).action(list);
  group.command("show").description("Show a feed as JSON.").addArgument(feedName()).action(show);
  group
    .command("remove")
    .description("Remove a feed. Its records stay.")
    .addArgument(feedName())
    .action(remove);
  group
    .command("run")
    .description("Run a feed now: stage what has changed, and publish it through the gates.")
    .addArgument(feedName())
    .option("--full", "compare all keys of a Web API too, and delete what the source has no more")
    .addOption(json())
    .action(run);
  group
    .command("try")
    .description("Read the first records of a feed, map and check them, and store nothing.")
    .addArgument(feedName())
    .option("--limit <count>", "records of each resource to read", parseRowCount, 100)
    .option("--mapping <file>", "try this mapping in place of the feed's")
    .addOption(json())
    .action(tryOut);
  group.command("pause").description("Pause a feed.").addArgument(feedName()).action(pause(true));
  group
    .command("resume")
    .description("Resume a feed. It is due at once.")
    .addArgument(feedName())
    .action(pause(false));
  return group;
}

const noFeed = (name: string) =>
  new CommandRefused(`there is no feed \`${name}\`: \`cadastre feed list\` shows those that there are`);

async function found(
  feeds: { readonly find: (name: string) => Promise<FeedRecord | undefined> },
  name: string,
) {
  const feed = await feeds.find(name);
  if (feed === undefined) throw noFeed(name);
  return feed;
}

/** Says if a feed of a Web API may never see deletions, unless that was asked for. */
function warnOfDeletions({ kind, fullEvery, deletions }: FeedDefinition, options: FeedSettings): void {
  if (kind !== "replicate" || fullEvery !== undefined || options.deletions === "none") return;
  if (deletions === undefined)
    printMessage(
      unseenDeletions(
        "`--full-every 1d` compares all keys once a day, and `--deletions auto` asks the source.",
      ),
    );
  if (deletions === "auto")
    printMessage(
      `If the source has neither delta links nor EntityEvent: ${unseenDeletions("`--full-every 1d` compares all keys once a day.")}`,
    );
}

const add = (name: string, options: FeedSettings) =>
  withServiceRegistry(async ({ feeds, catalogs }, folder, config) => {
    const by = { action: "feed.add", object: { id: name }, ...auditOf(folder, config) } as const;
    const added = await audited(by, async () => {
      const { catalog } = await currentCatalog(catalogs);
      const definition = await definitionFrom(catalog, options);
      if (!(await feeds.add(name, JSON.stringify(definition), Date.now())))
        throw new CommandRefused(
          `there is a feed \`${name}\` already: change it with \`cadastre feed change ${name}\``,
        );
      return definition;
    });
    printMessage(`Added the feed ${name}. To see what it would store: \`cadastre feed try ${name}\`.`);
    warnOfDeletions(added, options);
  });

const change = (name: string, options: FeedSettings & { readonly credentials: boolean }) =>
  withServiceRegistry(async ({ feeds, catalogs }, folder, config) => {
    const by = { action: "feed.change", object: { id: name }, ...auditOf(folder, config) } as const;
    const changed = await audited(by, async () => {
      const { catalog } = await currentCatalog(catalogs);
      const { credentials, ...others } = definitionOf(await found(feeds, name));
      const before = options.credentials ? { credentials, ...others } : others;
      const definition = await definitionFrom(catalog, options, before);
      if (!(await feeds.change(name, JSON.stringify(definition), Date.now()))) throw noFeed(name);
      return definition;
    });
    printMessage(`Changed the feed ${name}.`);
    warnOfDeletions(changed, options);
  });

const list = (output: Output) =>
  withServiceRegistry(async ({ feeds }) => {
    const [all, now] = [await feeds.list(), Date.now()];
    if (output.json)
      return printResult(
        JSON.stringify(
          all.map((feed) => feedJson(feed, now)),
          null,
          2,
        ),
      );
    if (all.length === 0) return printMessage("No feeds: `cadastre feed add` adds one.");
    printResult(
      table(
        feedRowHeads,
        all.map((feed) => feedRow(feed, now)),
      ),
    );
  });

const show = (name: string) =>
  withServiceRegistry(async ({ feeds }) =>
    printResult(JSON.stringify(feedJson(await found(feeds, name), Date.now()), null, 2)),
  );

const remove = (name: string) =>
  withServiceRegistry(async ({ feeds }, folder, config) => {
    await audited({ action: "feed.remove", object: { id: name }, ...auditOf(folder, config) }, async () => {
      if (!(await feeds.remove(name))) throw noFeed(name);
    });
    printMessage(`Removed the feed ${name}. Its records stay: see \`cadastre system retire\`.`);
  });

const pause = (isPaused: boolean) => (name: string) =>
  withServiceRegistry(async ({ feeds }, folder, config) => {
    const action = isPaused ? "feed.pause" : "feed.resume";
    await audited({ action, object: { id: name }, ...auditOf(folder, config) }, async () => {
      if (!(await feeds.pause(name, isPaused, Date.now()))) throw noFeed(name);
    });
    printMessage(isPaused ? `Paused ${name}.` : `Resumed ${name}: it is due.`);
  });

const run = (name: string, { full, json: isJson }: Output & { readonly full?: true }) =>
  withServiceStore(async (store, folder, { feeds, identities: crosswalk }, config) => {
    const { leaseSeconds, maxShrink } = config;
    const lease = leaseSeconds * 1000;
    const stopping = new AbortController();
    const stop = () => stopping.abort();
    const signals = ["SIGINT", "SIGTERM"] as const;
    for (const signal of signals) process.once(signal, stop);
    try {
      const action = { action: "feed.run", object: { id: name }, ...auditOf(folder, config) } as const;
      const { read, staged, removed, rejected } = await audited(action, async () => {
        const { kind } = definitionOf(await found(feeds, name));
        if (full && kind !== "replicate")
          throw new CommandRefused(
            `${name} reads files: --full is for a feed of a Web API. \`feed change ${name} --full\` says that each file holds all records`,
          );
        const claimed = await feeds.claim(Date.now(), { worker: workerName(), lease, name });
        if (claimed === undefined)
          throw new CommandRefused(`${name} is running: \`cadastre feed list\` shows when it has ended`);
        const log = createLog("silent");
        const mutexes = new Mutexes();
        const options = { store, crosswalk, folder, maxShrink, feeds, log, lease, mutexes, now: Date.now };
        const { error, ...report } = await runLeased(
          full ? { ...claimed, feed: comparingKeys(claimed.feed) } : claimed,
          options,
          stopping.signal,
        );
        const counts = { ...report.counts, removed: report.removed };
        const reasons = [...report.reasons]
          .map(([resource, counts]) => [resource, counts.found()] as const)
          .filter(([, found]) => found.length > 0);
        if (isJson)
          printResult(JSON.stringify({ feed: name, ...counts, reasons: Object.fromEntries(reasons), error }));
        else for (const [resource, of] of reasons) printMessage(`${resource}:\n${reasonsText(of)}`);
        if (error !== null) throw new CommandRefused(error);
        return counts;
      });
      const where = rejected === 0 ? "" : ` They are in ${join(folder.path, "feeds")}.`;
      printMessage(
        `Read ${counted(read, "record")}; staged and published ${number(staged)}; removed ${number(removed)}; rejected ${number(rejected)}.${where}`,
      );
    } finally {
      for (const signal of signals) process.off(signal, stop);
    }
  });

type TryOptions = Output & { readonly limit: number; readonly mapping?: string };

const tryOut = (name: string, { limit, mapping, json: isJson }: TryOptions) =>
  withServiceStore(async (store, folder, { feeds, identities: crosswalk }) => {
    const before = definitionOf(await found(feeds, name));
    const definition =
      mapping === undefined ? before : await definitionFrom(store.catalog, { mapping }, before);
    const temporary = await mkdtemp(join(folder.path, "try-"));
    try {
      const tried = await tryFeed(definition, { store, crosswalk, folder: temporary, limit });
      if (isJson) return printResult(JSON.stringify({ feed: name, resources: tried }, numberText, 2));
      printMessage(`Nothing is stored. From ${locationText(definition)}:`);
      for (const one of tried) printResult(triedText(one));
    } finally {
      await rm(temporary, { recursive: true, force: true });
    }
  });

/** Longest value in a table, in characters. */
const longestValue = 40;

/** Replacer of JSON that writes a number that is no double as its text. */
const numberText = (_: string, part: unknown): unknown => (part instanceof ExactNumber ? part.text : part);

const valueText = (value: unknown): string => {
  const text = value === undefined ? "" : (JSON.stringify(value, numberText) ?? "");
  return text.length > longestValue ? `${text.slice(0, longestValue)}…` : text;
};

function triedText(tried: TriedResource): string {
  const { resource, read, stored, rejected, waiting, faults, records } = tried;
  const counts = table(
    ["RESOURCE", "READ", "STORED", "REJECTED"],
    [[resource, ...[read, stored, rejected].map(String)]],
  );
  const later =
    waiting === 0
      ? []
      : [
          `${counted(waiting, "record")} of ${resource} belong to listings that are not served yet. A run publishes Property first.`,
        ];
  const reasons = table(
    ["FAULT", "FIELD", "RECORDS", "EXAMPLE", "REASON"],
    faults.map(({ code, field, count, example, reason }) => [
      code,
      field ?? "",
      String(count),
      valueText(example),
      reason,
    ]),
  );
  const shown = records.map((record, i) =>
    table(
      [`RECORD ${i + 1}`, ""],
      Object.entries(record).map(([field, value]) => [field, valueText(value)]),
    ),
  );
  return [counts, ...later, ...(faults.length === 0 ? [] : [reasons]), ...shown].join("\n\n");
}
