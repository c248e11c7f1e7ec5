import { randomUUID } from "node:crypto";
import type { Domain } from "@cadastre/manifest";
import { z } from "zod";
import { ClientError } from "../errors.ts";
import { deliveryId } from "../fetch/exports.ts";
import type { Ask, Connection } from "../http/connection.ts";
import { dataOf } from "../http/envelope.ts";
import { askJson } from "../http/request.ts";

const root = "/v1/file-export-subscriptions";

/** Most subscriptions or deliveries that a service lists. */
const maxListed = 500;

/** Ways of transfer: fetched from the service, written to the customer's bucket, or both. */
export const transferModes = ["pull", "push", "both"] as const;

/** Results of a delta without changes: a delivery that has only a manifest, or no delivery. */
export const emptyBehaviors = ["manifest_only", "skip"] as const;

/** Request for a subscription, in the spelling of the service. */
export type DomainSubscription = {
  readonly name: string;
  readonly domain: Domain;
  readonly deliveryMode: (typeof transferModes)[number];
  /** 60 to 2,678,400. */
  readonly cadenceSeconds: number;
  /** 0 to 1439, in UTC. The service uses it if the cadence is a whole number of days. */
  readonly preferredMinuteOfDay?: number | undefined;
  readonly emptyDeliveryBehavior?: (typeof emptyBehaviors)[number] | undefined;
  readonly destinationId?: string | undefined;
  /** Output profile; by default the first one of the domain. */
  readonly profileId?: string | undefined;
  /** Condition on the records, in the language of `$filter`; by default all are delivered. */
  readonly filter?: string | undefined;
  /** Fields of the records; by default all of the profile. */
  readonly select?: readonly string[] | undefined;
};

const word = z.string().regex(/^\w{1,64}$/);
const instant = z.iso.datetime();
const count = z.int().nonnegative();

const remoteSubscription = z.object({
  id: deliveryId,
  name: z.string().max(128),
  domain: word,
  deliveryMode: word,
  cadenceSeconds: count,
  destinationId: z.string().max(128).nullable(),
  preferredMinuteOfDay: count.nullable(),
  emptyDeliveryBehavior: word,
  profileId: z.string().max(128),
  // Absent in answers of releases that have no filters.
  filter: z
    .string()
    .nullish()
    .transform((filter) => filter ?? null),
  select: z
    .array(z.string())
    .nullish()
    .transform((select) => select ?? null),
  status: word,
  failure: z.object({ code: word }).nullable(),
  generation: count,
  next_sequence: count,
  next_due_at: instant.nullable(),
  created_at: instant,
});

/** A subscription as the service describes it. */
export type RemoteSubscription = z.output<typeof remoteSubscription>;

/** States in which the service creates no delivery. */
const idle: ReadonlySet<string> = new Set(["paused", "suspended", "canceled"]);

/** Returns the instant of the next delivery; null if none is due, or none will be created in this state. */
export const nextDueAt = ({ status, next_due_at: due }: RemoteSubscription): string | null =>
  idle.has(status) ? null : due;

const remoteDelivery = z.object({
  id: deliveryId,
  status: word,
  generation: count,
  sequence: count,
  noChange: z.boolean(),
  failure: z.object({ code: word }).nullable(),
  createdAt: instant,
  completedAt: instant.nullable(),
  expiresAt: instant,
  // Services of earlier versions do not tell it.
  acknowledgedAt: instant.nullable().optional(),
});

/** A delivery of a subscription as the service describes it. */
export type RemoteDelivery = z.output<typeof remoteDelivery>;

/** Changes of a subscription, by name, with the request that makes each. */
const changes = {
  pause: { method: "POST", path: "/pause" },
  resume: { method: "POST", path: "/resume" },
  reset: { method: "POST", path: "/reset" },
  cancel: { method: "DELETE", path: "" },
} as const satisfies Record<string, Required<Pick<Ask, "method" | "path">>>;

export type RemoteChange = keyof typeof changes;

/** Returns the path of a subscription, or of a resource below it. @throws {ClientError} `subscription_id_invalid` */
function pathOf(id: string, rest = ""): string {
  if (!deliveryId.safeParse(id).success) throw new ClientError("subscription_id_invalid");
  return `${root}/${id}${rest}`;
}

/** Lists the customer's subscriptions, the last created first, canceled ones too. */
export async function listRemoteSubscriptions(
  connection: Connection,
): Promise<readonly RemoteSubscription[]> {
  const request = "the subscriptions";
  const answer = await askJson(connection, { path: `${root}?limit=${maxListed}` }, request);
  return dataOf(answer, z.array(remoteSubscription), request);
}

/**
 * Finds a subscription by its id, or by the name of one that is not canceled.
 *
 * @throws {ClientError} `subscription_unknown` or `subscription_ambiguous`, with the names or ids that there are
 */
export async function findRemoteSubscription(
  connection: Connection,
  idOrName: string,
  target = "subscription",
): Promise<RemoteSubscription> {
  const listed = await listRemoteSubscriptions(connection);
  const withId = listed.find(({ id }) => id === idOrName);
  if (withId !== undefined) return withId;
  const open = listed.filter(({ status }) => status !== "canceled");
  const [found, ...others] = open.filter(({ name }) => name === idOrName);
  if (found === undefined) {
    const names = open.map(({ name }) => name);
    const details = { name: idOrName, known: knownNames(names) };
    throw new ClientError("subscription_unknown", details, { target, allowed: names });
  }
  if (others.length > 0) {
    const allowed = [found, ...others].map(({ id }) => id);
    const details = { name: idOrName, ids: allowed.join(", ") };
    throw new ClientError("subscription_ambiguous", details, { target, allowed });
  }
  return found;
}

/** Most names that a message lists. */
const maxNames = 20;

const knownNames = (names: readonly string[]): string =>
  names.length === 0
    ? "there is none"
    : `there ${names.length === 1 ? "is" : "are"} ${names
        .slice(0, maxNames)
        .map((name) => `\`${name}\``)
        .join(", ")}${names.length > maxNames ? " and more" : ""}`;

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/**
 * Returns the id of a subscription that is given by id or by name. A UUID is taken as an id without a request, and so is every text if there
 * is no connection to look a name up.
 */
export async function subscriptionIdOf(
  connection: Connection | undefined,
  idOrName: string,
  target: string,
): Promise<string> {
  if (connection === undefined || uuid.test(idOrName)) return idOrName;
  return (await findRemoteSubscription(connection, idOrName, target)).id;
}

/** Lists the deliveries of a subscription in any state, the last one of the last generation first. */
export async function listRemoteDeliveries(
  connection: Connection,
  id: string,
  limit: number = maxListed,
): Promise<readonly RemoteDelivery[]> {
  const request = "the deliveries";
  const answer = await askJson(connection, { path: pathOf(id, `/deliveries?limit=${limit}`) }, request);
  return dataOf(answer, z.array(remoteDelivery), request);
}

/** Changes a subscription, and returns its new state. */
export async function changeRemoteSubscription(
  connection: Connection,
  id: string,
  change: RemoteChange,
): Promise<RemoteSubscription> {
  const { method, path } = changes[change];
  const answer = await askJson(connection, { method, path: pathOf(id, path) }, "the change");
  return dataOf(answer, remoteSubscription, "the change");
}

/**
 * Creates a subscription, unless one of this name with these settings exists: repeated, it changes nothing.
 *
 * @throws {ClientError} `subscription_differs` if one of this name has other settings, which cannot be changed
 */
export async function ensureSubscription(
  connection: Connection,
  request: DomainSubscription,
): Promise<{ readonly subscription: RemoteSubscription; readonly isNew: boolean }> {
  const listed = await listRemoteSubscriptions(connection);
  const existing = listed.find(({ name, status }) => name === request.name && status !== "canceled");
  if (existing !== undefined) {
    requireSame(existing, request);
    return { subscription: existing, isNew: false };
  }
  // A request that is retried because its answer was lost has the same key, so it creates nothing twice.
  const body = { ...request, idempotencyKey: randomUUID() };
  const answer = await askJson(connection, { method: "POST", path: root, body }, "the request");
  return { subscription: dataOf(answer, remoteSubscription, "the request"), isNew: true };
}

/** Compares with the defaults of the service what the request leaves out, except the profile. @throws {ClientError} if a member differs */
function requireSame(existing: RemoteSubscription, request: DomainSubscription): void {
  const wanted = {
    domain: request.domain,
    deliveryMode: request.deliveryMode,
    cadenceSeconds: request.cadenceSeconds,
    preferredMinuteOfDay: request.preferredMinuteOfDay ?? null,
    emptyDeliveryBehavior: request.emptyDeliveryBehavior ?? "manifest_only",
    destinationId: request.destinationId ?? null,
    // The service chooses the profile if none is given.
    profileId: request.profileId ?? existing.profileId,
    filter: request.filter ?? null,
    select: request.select ?? null,
  };
  const differing = Object.entries(wanted)
    .filter(
      ([member, value]) => JSON.stringify(existing[member as keyof typeof wanted]) !== JSON.stringify(value),
    )
    .map(([member]) => `\`${member}\` is ${JSON.stringify(existing[member as keyof typeof wanted])}`);
  if (differing.length > 0)
    throw new ClientError("subscription_differs", { name: request.name, members: differing.join(", ") });
}
