import type { Knex } from "knex";
import { numberOf, type Whole } from "../whole.ts";
import type { GenerationPins, Subscription, SubscriptionProgress } from "./subscription.ts";

export type SubscriptionRow = {
  readonly id: string;
  readonly customer: string;
  readonly name: string;
  readonly domain: string;
  readonly profile: string;
  readonly mode: Subscription["mode"];
  readonly destination: string | null;
  readonly cadence_seconds: Whole;
  readonly preferred_minute: number | null;
  readonly empty_behavior: Subscription["emptyDeliveryBehavior"];
  readonly created: Whole;
  readonly request_key: string | null;
  readonly fingerprint: string | null;
  readonly state: Subscription["state"];
  readonly code: string | null;
  readonly entitlement_version: Whole;
  readonly due: Whole | null;
  readonly delivery: string | null;
  readonly generation: Whole;
  readonly sequence: Whole;
  readonly since: Whole | null;
  readonly since_name: string | null;
  /** JSON text. */
  readonly previous: string | null;
  /** JSON text. */
  readonly pins: string | null;
  readonly revision: Whole;
};

/** The table, to build a statement on. */
export const subscriptionTable = (knex: Knex) => knex<SubscriptionRow>("cadastre_subscription");

export const toSubscription = (row: SubscriptionRow): Subscription => ({
  id: row.id,
  customer: row.customer,
  name: row.name,
  domain: row.domain,
  profile: row.profile,
  mode: row.mode,
  destination: row.destination,
  cadenceSeconds: Number(row.cadence_seconds),
  preferredMinuteOfDay: row.preferred_minute,
  emptyDeliveryBehavior: row.empty_behavior,
  created: Number(row.created),
  state: row.state,
  code: row.code,
  entitlementVersion: Number(row.entitlement_version),
  due: numberOf(row.due),
  delivery: row.delivery,
  generation: Number(row.generation),
  sequence: Number(row.sequence),
  since: numberOf(row.since),
  sinceName: row.since_name,
  previous: row.previous === null ? null : (JSON.parse(row.previous) as Subscription["previous"]),
  pins: row.pins === null ? null : (JSON.parse(row.pins) as GenerationPins),
  revision: Number(row.revision),
});

const textOf = (value: object | null): string | null => (value === null ? null : JSON.stringify(value));

/** Changes as the table has them. */
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
