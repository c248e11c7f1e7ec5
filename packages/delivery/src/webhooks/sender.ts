import { EntitlementError, type Scope } from "@cadastre/entitlement";
import { type JobTrace, type StartJobTrace, untraced } from "../job-trace.ts";
import { pollForWork } from "../poll-for-work.ts";
import type { SealingKey } from "../sealed-text.ts";
import { attempt, resultOf } from "./attempt.ts";
import { type EventBatch, type EventFeed, nextBatch } from "./event-feed.ts";
import { eventsContent, type MessageContent, messageContent } from "./message.ts";
import type { Revocation, WebhookOutbox, WebhookSending } from "./outbox.ts";
import type { PostOptions } from "./post.ts";
import { isTooOld, maxWebhookWait } from "./wait.ts";
import type { Webhook } from "./webhook.ts";

/** Report of a sender on a message, for the log. */
export type WebhookReport = {
  readonly webhook: string;
  readonly message: string;
  /**
   * `dropped`: the customer may not be told of the event, the message is too old, or there are no entity events any more to send; `lost`:
   * another sender has taken it over.
   */
  readonly outcome: "sent" | "failed" | "dropped" | "deferred" | "lost";
  /** Status of the answer. */
  readonly status?: number | null;
  readonly code?: string | null;
  /** An error that is not the webhook's fault. */
  readonly cause?: unknown;
};

/** Times are in milliseconds. */
export type WebhookSenderOptions = Omit<PostOptions, "signal" | "traceparent"> & {
  readonly outbox: WebhookOutbox;
  /** Key that the secrets of webhooks are encrypted with. */
  readonly key: SealingKey;
  /** Returns the scope that a customer is granted now. An `EntitlementError` of the kind `forbidden` means that nothing is granted. */
  readonly scopeOf: (customer: string) => Promise<Scope>;
  /** The entity events of customers. Without it, none are sent. */
  readonly events?: EventFeed | undefined;
  /** Returns the time since 1970. By default the system time. */
  readonly clock?: (() => number) | undefined;
  /** Returns a number from 0 up to 1, the jitter of retries. By default `Math.random`. */
  readonly random?: (() => number) | undefined;
  /** Wait between two polls. By default 1000. */
  readonly poll?: number | undefined;
  /** Number of messages sent concurrently, by default 16: sending is mostly waiting. At most a quarter of them go to one customer. */
  readonly concurrency?: number | undefined;
  readonly report?: ((report: WebhookReport) => void) | undefined;
  /** Called with the first of successive failures to look for events, such as that of a registry that cannot be reached. */
  readonly onFailure?: ((error: unknown) => void) | undefined;
  /** Starts the trace of an attempt. By default none is recorded. */
  readonly trace?: StartJobTrace | undefined;
};

/** Sends messages to webhooks. It keeps no state in memory: any number of senders may work on one registry, and stop at any time. */
export type WebhookSender = {
  /** Creates messages for new events. Returns the number of deliveries and webhooks that were checked. */
  readonly gather: () => Promise<number>;
  /** Looks for new entity events, and creates messages about them. Returns the number of webhooks that were checked. */
  readonly gatherEvents: () => Promise<number>;
  /** Sends the message that has been due longest; returns undefined if none is due. */
  readonly send: (signal?: AbortSignal) => Promise<WebhookReport | undefined>;
  /** Does all of it until the signal aborts. */
  readonly run: (signal: AbortSignal) => Promise<void>;
};

/** Lease of a message, in milliseconds: longer than an attempt can take. */
const lease = 60_000;
/** Interval between comparisons of a customer's entitlement even if no other one is installed, in milliseconds: it may have expired. */
const comparisonInterval = 60_000;
/** Delay of a message while the customer's entitlement cannot be verified, in milliseconds. */
const deferral = 60_000;
/** Interval in which a running sender looks for new entity events, in milliseconds. */
const eventInterval = 1000;
/** Number of deliveries whose messages are created in one transaction. */
const groupSize = 100;

export function createWebhookSender(options: WebhookSenderOptions): WebhookSender {
  const { outbox, scopeOf, clock = Date.now, random = Math.random } = options;
  const { poll = 1000, concurrency = 16, report = () => {}, trace = untraced, onFailure, events } = options;

  const terms = { lease, wait: maxWebhookWait, most: Math.ceil(concurrency / 4) };

  async function compareNext(): Promise<boolean> {
    const webhook = await outbox.claimComparison(clock(), comparisonInterval);
    if (webhook === undefined) return false;
    const granted = await grantedBy(scopeOf, webhook.customer);
    if (granted === "unverifiable") return true;
    const now = isScope(granted) ? { version: granted.version, scopeSha256: granted.scopeSha256 } : null;
    const { told, toldLapse } = webhook;
    const isOther = told?.version !== now?.version || told?.scopeSha256 !== now?.scopeSha256;
    const revocation = revocationOf(granted);
    if (isOther || (toldLapse && revocation === "all"))
      await outbox.tell(webhook, now, { at: clock(), revocation });
    return true;
  }

  async function deliver(
    sending: WebhookSending,
    signal: AbortSignal | undefined,
    stages: JobTrace,
  ): Promise<WebhookReport> {
    const { webhook, message } = sending;
    const told = { webhook: webhook.id, message: message.id };
    const granted = await stages.timeAsync("authorize", () => grantedBy(scopeOf, webhook.customer));
    if (message.type !== "entitlement.changed" && granted === "unverifiable")
      return { ...told, outcome: await putOff(sending) };
    if (!isToldOf(message.type, granted))
      return { ...told, outcome: outcomeOf("dropped", await outbox.drop(sending)) };
    const batch = await batchOf(sending, events);
    if (batch?.events.length === 0)
      return { ...told, outcome: outcomeOf("dropped", await outbox.drop(sending)) };
    const content = contentOf(sending, batch);
    const met = await stages.timeAsync("post", (traceparent) =>
      attempt(sending, content, clock(), { ...options, signal, traceparent }),
    );
    const isNoted = await stages.timeAsync("note", () =>
      outbox.note(sending, resultOf(sending, batch, met, { at: clock(), random: random() })),
    );
    const outcome = outcomeOf(met.failure === null ? "sent" : "failed", isNoted);
    return { ...told, outcome, status: met.status, code: met.failure, ...causeOf(met.cause) };
  }

  /** Defers a message, or drops it if it is too old. */
  async function putOff(sending: WebhookSending): Promise<WebhookReport["outcome"]> {
    const at = clock();
    return isTooOld(sending.message, at)
      ? outcomeOf("dropped", await outbox.drop(sending))
      : outcomeOf("deferred", await outbox.defer(sending, at + deferral));
  }

  /** Makes a message due at once, for another sender. */
  const giveBack = async (sending: WebhookSending): Promise<WebhookReport["outcome"]> =>
    outcomeOf("deferred", await outbox.defer(sending, clock()));

  async function send(signal?: AbortSignal): Promise<WebhookReport | undefined> {
    const sending = await outbox.claim(clock(), terms);
    if (sending === undefined) return undefined;
    const told = { webhook: sending.webhook.id, message: sending.message.id };
    const stages = trace({ name: "webhook", ...told });
    const reported = await deliver(sending, signal, stages).catch(
      async (cause: unknown): Promise<WebhookReport> => {
        const isStopping = signal?.aborted === true;
        const outcome = await (isStopping ? giveBack : putOff)(sending).catch(() => "lost" as const);
        return { ...told, outcome, ...causeOf(isStopping ? undefined : cause) };
      },
    );
    stages.end(reported);
    report(reported);
    return reported;
  }

  async function gather(): Promise<number> {
    let looked = 0;
    for (let found = groupSize; found === groupSize; looked += found)
      found = await outbox.gather(clock(), groupSize);
    for (let found = groupSize; found === groupSize; looked += found)
      found = await outbox.gatherSuspended(clock(), groupSize);
    while (await compareNext()) looked += 1;
    return looked;
  }

  async function gatherEvents(): Promise<number> {
    if (events === undefined) return 0;
    const webhooks = await outbox.idleForEvents();
    const byCustomer = groupByCustomer(webhooks);
    for (const [customer, idle] of byCustomer) {
      const granted = await grantedBy(scopeOf, customer);
      if (!isScope(granted) || !isToldOf("entity.changed", granted)) continue;
      const last = await events.follow(granted);
      for (const webhook of idle)
        if (webhook.eventPush !== null && webhook.eventPush.sent < last) await outbox.wake(webhook, clock());
    }
    return webhooks.length;
  }

  const drain = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted && (await send(signal)) !== undefined);
  };

  return {
    gather,
    gatherEvents,
    send,
    run: async (signal) => {
      const draining = new Set<Promise<unknown>>();
      const startDraining = () => {
        if (draining.size >= concurrency) return;
        const one = drain(signal)
          .catch(() => {})
          .finally(() => draining.delete(one));
        draining.add(one);
      };
      const gatherAndSend = async () => {
        await gather().finally(startDraining);
        return false;
      };
      const lookForEvents = async () => {
        await gatherEvents();
        return false;
      };
      await Promise.all([
        pollForWork(gatherAndSend, { signal, interval: poll, onFailure }),
        ...(events === undefined
          ? []
          : [pollForWork(lookForEvents, { signal, interval: eventInterval, onFailure })]),
      ]);
      await Promise.all(draining);
    },
  };
}

const outcomeOf = (outcome: WebhookReport["outcome"], isNoted: boolean): WebhookReport["outcome"] =>
  isNoted ? outcome : "lost";

const causeOf = (cause: unknown): Pick<WebhookReport, "cause"> => (cause === undefined ? {} : { cause });

/** Returns the events that a message stands for; undefined for another message. Without a feed there are none. */
async function batchOf(
  { webhook: { customer, eventPush }, message }: WebhookSending,
  feed: EventFeed | undefined,
): Promise<EventBatch | undefined> {
  if (message.type !== "entity.changed") return undefined;
  if (feed === undefined || eventPush === null) return { events: [], hasMore: false };
  return nextBatch(feed, customer, eventPush.sent);
}

/** A webhook for entity events gets its tests in their form, without an event. */
const contentOf = ({ webhook, message }: WebhookSending, batch: EventBatch | undefined): MessageContent =>
  webhook.eventPush === null
    ? messageContent(message, webhook.customer)
    : eventsContent(batch?.events ?? [], message.id);

function groupByCustomer(webhooks: readonly Webhook[]): ReadonlyMap<string, readonly Webhook[]> {
  const groups = new Map<string, Webhook[]>();
  for (const webhook of webhooks) {
    const group = groups.get(webhook.customer) ?? [];
    group.push(webhook);
    groups.set(webhook.customer, group);
  }
  return groups;
}

/** `nothing`: the entitlement has expired, say, and may be renewed; `removed`: the operator has removed it. */
type Granted = Scope | "nothing" | "removed" | "unverifiable";

const isScope = (granted: Granted): granted is Scope => typeof granted === "object";

/** Returns what an entitlement revokes of what was delivered; null if nothing, as long as that is not certain too. */
function revocationOf(granted: Granted): Revocation | null {
  if (granted === "removed") return "all";
  return isScope(granted) && !grantsDeliveries(granted) ? "deliveries" : null;
}

const grantsDeliveries = ({ channels, products, datasets }: Scope): boolean =>
  channels.file_delivery && products.length > 0 && datasets.length > 0;

async function grantedBy(scopeOf: WebhookSenderOptions["scopeOf"], customer: string): Promise<Granted> {
  try {
    return await scopeOf(customer);
  } catch (error) {
    if (!(error instanceof EntitlementError)) throw error;
    if (error.code === "entitlement_removed") return "removed";
    return error.kind === "forbidden" ? "nothing" : "unverifiable";
  }
}

/** True if the customer may be notified of an event. A customer without a valid entitlement is only notified of changes to it. */
function isToldOf(type: WebhookSending["message"]["type"], granted: Granted): boolean {
  if (type === "entitlement.changed") return true;
  // It may have been granted again since.
  if (type === "entitlement.revoked") return revocationOf(granted) !== null;
  if (!isScope(granted)) return false;
  if (type === "webhook.test") return true;
  return type === "entity.changed" ? granted.channels.odata : granted.channels.file_delivery;
}
