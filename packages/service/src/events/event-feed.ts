import type { EntityEvent, EventFeed } from "@cadastre/delivery";
import type { Scope } from "@cadastre/entitlement";
import { bindQuery, type EntitySet, parseFilter, parseOrderBy } from "@cadastre/odata";
import type { Store } from "@cadastre/store";
import { commitOf } from "@cadastre/store/changes";
import type { EventLogs } from "@cadastre/store/registry";
import { errorFields, type Log } from "../log.ts";
import { entityEventSet } from "./entity-event-set.ts";
import type { EntityEvents } from "./entity-events.ts";
import { nextPass } from "./event-pass.ts";
import { type EventView, eventViewOf } from "./event-view.ts";

/** Services that the events of webhooks come from. */
export type EventFeedServices = {
  readonly store: Pick<Store, "checkpoint" | "committedAt">;
  readonly logs: Pick<EventLogs, "find">;
  /** Entity sets whose current build has passed its gates. */
  readonly activation: { readonly entitySets: () => readonly EntitySet[] };
  readonly log: Log;
};

/** Returns the events of customers for webhooks: made and read as a request for the set `EntityEvent` does. */
export function eventFeed(events: EntityEvents, services: EventFeedServices): EventFeed {
  const { store } = services;
  const making = new Set<string>();
  const failing = new Set<string>();

  async function make(view: EventView): Promise<void> {
    const { customer } = view.scope;
    if (making.has(customer)) return;
    making.add(customer);
    try {
      await events.makeFor(view);
      failing.delete(customer);
    } catch (error) {
      // The next look repeats it, so that only the first failure is worth a line.
      if (!failing.has(customer)) services.log.error(errorFields(error), "could not make entity events");
      failing.add(customer);
    } finally {
      making.delete(customer);
    }
  }

  return {
    follow: async (scope) => {
      const view = eventViewOf(services.activation.entitySets(), scope);
      const log = await services.logs.find(scope.customer);
      const last = await commitOf(await store.checkpoint(), store);
      if ((await nextPass(log, view.id, last, store)) !== undefined) void make(view);
      return log?.last ?? 0;
    },
    after: (customer, number, limit) => eventsAfter(events, customer, number, limit),
  };
}

async function eventsAfter(
  { sourceOf }: Pick<EntityEvents, "sourceOf">,
  customer: Scope["customer"],
  number: number,
  limit: number,
): Promise<readonly EntityEvent[]> {
  const filter = parseFilter(`EntityEventSequence gt ${number}`);
  const query = bindQuery(
    { filter, orderBy: parseOrderBy("EntityEventSequence"), top: limit },
    entityEventSet,
  );
  const read = { count: false, nulls: false, form: undefined, expand: [], own: new Map<string, string>() };
  const { signal } = new AbortController();
  const { records, release } = await sourceOf(customer).page(query, { ...read, signal });
  const { buffer, byteOffset, byteLength } = records;
  const text = Buffer.from(buffer, byteOffset, byteLength).toString();
  release?.();
  const found = JSON.parse(`[${text}]`) as readonly { readonly EntityEventSequence: number }[];
  return found.map((event) => ({ number: event.EntityEventSequence, json: JSON.stringify(event) }));
}
