import type { WorkerRecord } from "@cadastre/store/registry";
import type { Config } from "../../config.ts";
import { release } from "../../release.ts";
import { longestSilence, type WorkKind, workOf } from "../../worker-heartbeat.ts";
import { type Diagnosis, type DoctorCheck, mend, type RegistryContext, sound, warn } from "./diagnosis.ts";

/** Checks of the work in the background. */
export const workerChecks: readonly DoctorCheck[] = [
  { name: "workers", needs: "registry", run: checkWorkers },
  { name: "deliveries", needs: "registry", run: checkBacklog },
  { name: "feeds", needs: "registry", run: checkFeeds },
];

/** Counts of work that is due, each with the worker that it waits for. The value is the present time. */
const dueWork: readonly {
  readonly kind: WorkKind;
  readonly one: string;
  readonly many: string;
  readonly table: string;
  readonly where: string;
}[] = [
  {
    kind: "deliveries",
    one: "delivery",
    many: "deliveries",
    table: "cadastre_delivery",
    where: "state in ('queued', 'building') and due <= ?",
  },
  {
    kind: "deliveries",
    one: "subscription",
    many: "subscriptions",
    table: "cadastre_subscription",
    where: "state = 'active' and due <= ?",
  },
  {
    kind: "deliveries",
    one: "webhook",
    many: "webhooks",
    table: "cadastre_webhook",
    where:
      "state <> 'disabled' and due <= ? and exists (select 1 from cadastre_webhook_message m where m.webhook = cadastre_webhook.id)",
  },
  {
    kind: "publications",
    one: "delivery to a bucket",
    many: "deliveries to buckets",
    table: "cadastre_delivery",
    where: "state in ('sealed', 'publishing') and due <= ?",
  },
  {
    kind: "feeds",
    one: "feed",
    many: "feeds",
    table: "cadastre_feed",
    where: "state = 'active' and due <= ?",
  },
];

const isAlive = ({ silence }: WorkerRecord): boolean => silence <= longestSilence;

async function* checkWorkers({ audit, config, now }: RegistryContext): AsyncGenerator<Diagnosis> {
  const workers = await audit.workers();
  const alive = workers.filter(isAlive);
  for (const worker of alive) {
    const { name, work, release: other } = worker;
    const says = `${name} works on ${work.join(", ")}`;
    yield other === release
      ? sound(says)
      : warn(
          `${says}, with release ${other}: this is ${release}`,
          "install the same release for all, and start the worker again",
        );
  }
  const waiting = new Map<WorkKind, string[]>();
  for (const { kind, one, many, table, where } of dueWork) {
    if (alive.some(({ work }) => work.includes(kind))) continue;
    const counting = audit.prepare<{ count: number | string }>(
      table,
      `select count(*) as "count" from ${table} where ${where}`,
    );
    const count = Number((await counting.first(now))?.count ?? 0);
    if (count > 0) waiting.set(kind, [...(waiting.get(kind) ?? []), `${count} ${count === 1 ? one : many}`]);
  }
  for (const [kind, texts] of waiting) {
    const none = alive.length === 0 ? "no worker runs" : `no worker that runs works on ${kind}`;
    const seen = workers.findLast(({ work }) => work.includes(kind));
    const last =
      seen === undefined ? "" : `; ${seen.name} was last seen ${Math.round(seen.silence / 1000)} s ago`;
    yield mend(`${none}, and ${texts.join(", ")} ${verb(texts)}${last}`, commandFor(kind, config));
  }
  if (alive.length === 0 && waiting.size === 0) yield sound("none runs, and no work waits");
}

const verb = (texts: readonly string[]): string =>
  texts.length === 1 && texts[0]?.startsWith("1 ") ? "waits" : "wait";

/** Settings by which a worker does a kind of work. */
const settingOf: Readonly<Partial<Record<WorkKind, string>>> = {
  publications: "`push.enabled`",
  feeds: "`deliveries.feeds`",
};

/** Returns the command that starts a worker for a kind of work. */
export function commandFor(kind: WorkKind, config: Pick<Config, "push" | "worker" | "runsFeeds">): string {
  const start = config.worker ? "start the service, or `cadastre worker`" : "`cadastre worker`";
  return workOf(config).includes(kind) ? start : `set ${settingOf[kind]} to true, and ${start}`;
}

/** Time that work may be due and not begun, in milliseconds. */
const longestWait = 600_000;

async function* checkBacklog(context: RegistryContext): AsyncGenerator<Diagnosis> {
  const late = context.audit.prepare<{ id: string }>(
    "cadastre_delivery",
    "select id from cadastre_delivery where state in ('queued', 'building', 'sealed', 'publishing') and due < ?",
  );
  let count = 0;
  for await (const _ of late.rows(context.now - longestWait)) count++;
  yield count > 0
    ? mend(
        `${count} ${count === 1 ? "delivery has" : "deliveries have"} waited for a worker for over 10 minutes`,
        await remedyOfDelay("deliveries", context),
      )
    : sound("none waits");
}

/** Returns what to do about work that waits for too long: a worker that is alive tells the reason in its log. */
async function remedyOfDelay(kind: WorkKind, { audit, config }: RegistryContext): Promise<string> {
  const names = (await audit.workers())
    .filter((worker) => isAlive(worker) && worker.work.includes(kind))
    .map(({ name }) => name);
  return names.length === 0
    ? commandFor(kind, config)
    : `read the log of ${names.join(", ")}, or start another \`cadastre worker\``;
}

type FeedState = {
  readonly name: string;
  readonly failures: number;
  readonly error: string | null;
  readonly due: number | string;
  readonly leased: number | string;
};

async function* checkFeeds(context: RegistryContext): AsyncGenerator<Diagnosis> {
  const active = context.audit.prepare<FeedState>(
    "cadastre_feed",
    `select name, failures, last_error as "error", due, leased from cadastre_feed where state = 'active' order by name`,
  );
  let count = 0;
  let late = 0;
  for await (const { name, failures, error, due, leased } of active.rows()) {
    count++;
    if (failures > 0)
      yield mend(
        `the last ${failures === 1 ? "run" : `${failures} runs`} of the feed ${name} failed: ${error}`,
        `\`cadastre feed try ${name}\`, and \`cadastre feed change ${name}\``,
      );
    if (Math.max(Number(due), Number(leased)) < context.now - longestWait) late++;
  }
  if (late > 0)
    yield mend(
      `${late} ${late === 1 ? "feed has" : "feeds have"} waited for a worker for over 10 minutes`,
      await remedyOfDelay("feeds", context),
    );
  yield sound(count === 0 ? "none is to run" : `${count} to run`);
}
