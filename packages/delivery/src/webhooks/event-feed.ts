import type { Scope } from "@cadastre/entitlement";

/** An event of a record that a customer sees, or saw. Source: RESO Data Dictionary 2.0, EntityEvent. */
export type EntityEvent = {
  /** Its `EntityEventSequence`. */
  readonly number: number;
  /** The event as the customer reads it in the set `EntityEvent`. */
  readonly json: string;
};

/** The events of customers. An event that is made has a higher number than all events of its customer that were made before. */
export type EventFeed = {
  /**
   * Has the events of a scope's customer made up to the present, and does not wait for that. Returns the number of the last event that
   * is made; 0 if there is none.
   */
  readonly follow: (scope: Scope) => Promise<number>;
  /** Returns events of a customer after a number, ascending. */
  readonly after: (customer: string, number: number, limit: number) => Promise<readonly EntityEvent[]>;
};

/** Events that are sent together, and then counted as arrived together. */
export type EventBatch = {
  readonly events: readonly EntityEvent[];
  /** True if there are more after them. */
  readonly hasMore: boolean;
};

/** Largest number of events in a message. */
const maxEvents = 500;

/** Largest number of bytes of the events in a message. A single event may be larger. */
const maxBytes = 256 * 1024;

/** Returns the next events to send to a webhook that has had those up to `sent`. */
export async function nextBatch(
  { after }: Pick<EventFeed, "after">,
  customer: string,
  sent: number,
): Promise<EventBatch> {
  const found = await after(customer, sent, maxEvents + 1);
  let count = 0;
  let bytes = 0;
  for (const { json } of found.slice(0, maxEvents)) {
    bytes += Buffer.byteLength(json) + 1;
    if (count > 0 && bytes > maxBytes) break;
    count++;
  }
  return { events: found.slice(0, count), hasMore: count < found.length };
}
