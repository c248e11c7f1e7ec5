import type { Scope } from "@cadastre/entitlement";
import type { EntitySet } from "@cadastre/odata";
import type { RecordSource } from "@cadastre/server/parts";
import { withOwnSet } from "../own-set.ts";
import { entityEventName } from "./entity-event-set.ts";
import type { EntityEvents } from "./entity-events.ts";
import { eventViewOf } from "./event-view.ts";

/** Returns a source of a request that also reads events, which it first makes. */
export function withEntityEvents(
  listings: RecordSource,
  { makeFor, sourceOf }: EntityEvents,
  scope: Scope,
  active: readonly EntitySet[],
): RecordSource {
  const events = () => sourceOf(scope.customer);
  const madeEvents = async () => {
    await makeFor(eventViewOf(active, scope));
    return events();
  };
  return withOwnSet(listings, entityEventName, () => ({
    page: async (query, read) => (await madeEvents()).page(query, read),
    count: async (query, read) => (await madeEvents()).count(query, read),
    one: (query, read) => events().one(query, read),
  }));
}
