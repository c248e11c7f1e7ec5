import { type Int64Column, int64ToNumber, type Knex } from "@cadastre/store/registry";
import type { GenerationPins, Subscription, SubscriptionProgress } from "../subscription.ts";

export type SubscriptionRow = {
  readonly id: string;
  readonly customer: string;
  readonly name: string;
  readonly domain: string;
  /** Id of the profile, see {@link profileColumns}. */
  readonly profile: string;
  /** JSON text. */
  readonly narrowing: string | null;
  readonly mode: Subscription["mode"];
  readonly destination: string | null;
  readonly cadence_seconds: Int64Column;
  readonly preferred_minute: number | null;
  readonly empty_behavior: Subscription["emptyDeliveryBehavior"];
  readonly created: Int64Column;
  readonly request_key: string | null;
  readonly fingerprint: string | null;
  readonly state: Subscription["state"];
  readonly code: string | null;
  readonly entitlement_version: Int64Column;
  readonly due: Int64Column | null;
  readonly delivery: string | null;
  readonly generation: Int64Column;
  readonly sequence: Int64Column;
  readonly since: Int64Column | null;
  readonly since_name: string | null;
  /** JSON text. */
  readonly previous: string | null;
  /** JSON text. */
  readonly pins: string | null;
  readonly revision: Int64Column;
  /** Code of the suspension that webhooks were notified of. */
  readonly told_code: string | null;
};

/** Query builder for the table. */
export const subscriptionTable = (knex: Knex) => knex<SubscriptionRow>("cadastre_subscription");

/**
 * End of the profile's id in the row of a subscription with a filter or selected fields. No profile has such an id, so that a scheduler of a
 * release that knows neither suspends the subscription, and delivers nothing else than was asked for.
 */
const narrowedMark = "?";

/** Returns the columns for the profile of a subscription. */
export const profileColumns = ({
  profile,
  narrowing,
}: Pick<Subscription, "profile" | "narrowing">): Pick<SubscriptionRow, "profile" | "narrowing"> =>
  narrowing === null
    ? { profile, narrowing: null }
    : { profile: profile + narrowedMark, narrowing: JSON.stringify(narrowing) };

export const toSubscription = (row: SubscriptionRow): Subscription => ({
  id: row.id,
  customer: row.customer,
  name: row.name,
  domain: row.domain,
  profile: row.narrowing === null ? row.profile : row.profile.slice(0, -narrowedMark.length),
  narrowing: row.narrowing === null ? null : (JSON.parse(row.narrowing) as Subscription["narrowing"]),
  mode: row.mode,
  destination: row.destination,
  cadenceSeconds: Number(row.cadence_seconds),
  preferredMinuteOfDay: row.preferred_minute,
  emptyDeliveryBehavior: row.empty_behavior,
  created: Number(row.created),
  state: row.state,
  code: row.code,
  entitlementVersion: Number(row.entitlement_version),
  due: int64ToNumber(row.due),
  delivery: row.delivery,
  generation: Number(row.generation),
  sequence: Number(row.sequence),
  since: int64ToNumber(row.since),
  sinceName: row.since_name,
  previous: row.previous === null ? null : (JSON.parse(row.previous) as Subscription["previous"]),
  pins: row.pins === null ? null : (JSON.parse(row.pins) as GenerationPins),
  revision: Number(row.revision),
});

const textOf = (value: object | null): string | null => (value === null ? null : JSON.stringify(value));

/** Returns changes as columns. */
export function changedColumns(changes: Partial<SubscriptionProgress>): Partial<SubscriptionRow> {
  const { entitlementVersion, sinceName, previous, pins, ...same } = changes;
  return {
    ...same,
    ...(entitlementVersion === undefined ? {} : { entitlement_version: entitlementVersion }),
    ...(sinceName === undefined ? {} : { since_name: sinceName }),
    ...(previous === undefined ? {} : { previous: textOf(previous) }),
    ...(pins === undefined ? {} : { pins: textOf(pins) }),
  };
}
