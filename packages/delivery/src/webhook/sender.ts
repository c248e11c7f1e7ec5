import { setTimeout } from "node:timers/promises";
import { EntitlementError, type Scope } from "@cadastre/entitlement";
import type { WebhookOutbox, WebhookSending } from "@cadastre/store/registry";
import type { SealingKey } from "../sealed-text.ts";
import { attempt, resultOf } from "./attempt.ts";
import type { PostOptions } from "./post.ts";
import { isGivenUp, longestWait } from "./wait.ts";

/** What a sender tells of its work, for the log. */
export type WebhookReport = {
  readonly webhook: string;
  readonly message: string;
  /** `dropped`: its customer is not granted what it tells of, or it has waited too long; `lost`: somebody else has it by now. */
  readonly outcome: "sent" | "failed" | "dropped" | "deferred" | "lost";
  /** What its address has answered. */
  readonly status?: number | null;
  readonly code?: string | null;
  /** What was caught that is not the webhook's fault. */
  readonly cause?: unknown;
};

/** Times are in milliseconds. */
export type WebhookSenderOptions = Omit<PostOptions, "signal"> & {
  readonly outbox: WebhookOutbox;
  /** What secrets are kept under. */
  readonly key: SealingKey;
  /** What a customer is granted now. What it throws of entitlements that are denied says: nothing. */
  readonly scopeOf: (customer: string) => Promise<Scope>;
  /** The time since 1970. By default that of this machine. */
  readonly clock?: (() => number) | undefined;
  /** From 0 up to 1; spreads what is tried again. By default that of this machine. */
  readonly random?: (() => number) | undefined;
  /** How long to wait before looking again. By default 1000. */
  readonly poll?: number | undefined;
  /** Messages that are sent at once, a quarter of them to one customer at most. By default 16: what is sent does little but wait. */
  readonly concurrency?: number | undefined;
  readonly report?: ((report: WebhookReport) => void) | undefined;
};

/** Tells webhooks what happened. It keeps nothing in memory: any number of senders may work on one registry, and die at any time. */
export type WebhookSender = {
  /** Find what webhooks are to be told of, and make messages of it. Gives how much was looked at. */
  readonly gather: () => Promise<number>;
  /** Send what has waited longest; undefined if nothing waits. */
  readonly send: (signal?: AbortSignal) => Promise<WebhookReport | undefined>;
  /** Do both until the signal aborts. */
  readonly run: (signal: AbortSignal) => Promise<void>;
};

/** How long a message is one sender's own, in milliseconds: longer than an attempt may take. */
const lease = 60_000;
/** How often a customer's entitlement is looked at where no other one is installed: it may have ended. */
const comparisonInterval = 60_000;
/** How long a message waits whose customer's entitlement cannot be verified at present. */
const deferral = 60_000;
/** Deliveries that are told of in one transaction. */
const groupSize = 100;

export function createWebhookSender(options: WebhookSenderOptions): WebhookSender {
  const { outbox, scopeOf, clock = Date.now, random = Math.random } = options;
  const { poll = 1000, concurrency = 16, report = () => {} } = options;

  const terms = { lease, wait: longestWait, most: Math.ceil(concurrency / 4) };

  async function compareNext(): Promise<boolean> {
    const webhook = await outbox.claimComparison(clock(), comparisonInterval);
    if (webhook === undefined) return false;
    const granted = await grantedBy(scopeOf, webhook.customer);
    if (granted === "unverifiable") return true;
    const now = granted && { version: granted.version, scopeSha256: granted.scopeSha256 };
    const { told } = webhook;
    if (told?.version !== now?.version || told?.scopeSha256 !== now?.scopeSha256)
      await outbox.tell(webhook, now, clock());
    return true;
  }

  async function deliver(sending: WebhookSending, signal: AbortSignal | undefined): Promise<WebhookReport> {
    const { webhook, message } = sending;
    const told = { webhook: webhook.id, message: message.id };
    const granted = await grantedBy(scopeOf, webhook.customer);
    if (message.type !== "entitlement.changed" && granted === "unverifiable")
      return { ...told, outcome: await putOff(sending) };
    if (!isToldOf(message.type, granted))
      return { ...told, outcome: outcomeOf("dropped", await outbox.drop(sending)) };
    const met = await attempt(sending, clock(), { ...options, signal });
    const isNoted = await outbox.note(sending, resultOf(sending, met, { at: clock(), random: random() }));
    const outcome = outcomeOf(met.failure === null ? "sent" : "failed", isNoted);
    return { ...told, outcome, status: met.status, code: met.failure, ...causeOf(met.cause) };
  }

  /** Have a message wait, unless it has waited too long. */
  async function putOff(sending: WebhookSending): Promise<WebhookReport["outcome"]> {
    const at = clock();
    return isGivenUp(sending.message, at)
      ? outcomeOf("dropped", await outbox.drop(sending))
      : outcomeOf("deferred", await outbox.defer(sending, at + deferral));
  }

  /** Have a message sent by somebody else. */
  const giveBack = async (sending: WebhookSending): Promise<WebhookReport["outcome"]> =>
    outcomeOf("deferred", await outbox.defer(sending, clock()));

  async function send(signal?: AbortSignal): Promise<WebhookReport | undefined> {
    const sending = await outbox.claim(clock(), terms);
    if (sending === undefined) return undefined;
    const told = { webhook: sending.webhook.id, message: sending.message.id };
    const reported = await deliver(sending, signal).catch(async (cause: unknown): Promise<WebhookReport> => {
      const isStopping = signal?.aborted === true;
      const outcome = await (isStopping ? giveBack : putOff)(sending).catch(() => "lost" as const);
      return { ...told, outcome, ...causeOf(isStopping ? undefined : cause) };
    });
    report(reported);
    return reported;
  }

  async function gather(): Promise<number> {
    let looked = 0;
    for (let found = groupSize; found === groupSize; looked += found)
      found = await outbox.gather(clock(), groupSize);
    while (await compareNext()) looked += 1;
    return looked;
  }

  const drain = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted && (await send(signal)) !== undefined);
  };

  return {
    gather,
    send,
    run: async (signal) => {
      const draining = new Set<Promise<unknown>>();
      while (!signal.aborted) {
        await gather().catch(() => 0);
        if (draining.size < concurrency) {
          const one = drain(signal)
            .catch(() => {})
            .finally(() => draining.delete(one));
          draining.add(one);
        }
        await setTimeout(poll, undefined, { signal }).catch(() => {});
      }
      await Promise.all(draining);
    },
  };
}

const outcomeOf = (outcome: WebhookReport["outcome"], isNoted: boolean): WebhookReport["outcome"] =>
  isNoted ? outcome : "lost";

const causeOf = (cause: unknown): Pick<WebhookReport, "cause"> => (cause === undefined ? {} : { cause });

type Granted = Scope | null | "unverifiable";

async function grantedBy(scopeOf: WebhookSenderOptions["scopeOf"], customer: string): Promise<Granted> {
  try {
    return await scopeOf(customer);
  } catch (error) {
    if (!(error instanceof EntitlementError)) throw error;
    return error.outcome === "denied" ? null : "unverifiable";
  }
}

/** Whoever is granted nothing any more is told that, and nothing else; of deliveries, who may have them. */
function isToldOf(type: WebhookSending["message"]["type"], granted: Granted): boolean {
  if (type === "entitlement.changed") return true;
  if (granted === null || granted === "unverifiable") return false;
  return type === "webhook.test" || granted.channels.file_delivery;
}
