import type { Catalog } from "@cadastre/reso";
import type { RegistryDatabase } from "@cadastre/store/registry";
import type { OwnSetSource } from "../own-set.ts";
import { CommitChanges } from "./commit-changes.ts";
import { entityEventSource } from "./entity-event-set.ts";
import { type EventMakingServices, makeEvents } from "./event-making.ts";
import type { EventView } from "./event-view.ts";

/** The events of all customers. */
export type EntityEvents = {
  /**
   * Makes the events of a customer up to the last commit, and waits for that, but not long: what takes longer goes on beside.
   *
   * @throws {StoreError}
   */
  readonly makeFor: (view: EventView) => Promise<void>;
  /** Reads the events of a customer. */
  readonly sourceOf: (customer: string) => OwnSetSource;
  /** Stops what is being made. The next request continues it. */
  readonly stop: () => Promise<void>;
};

type EntityEventOptions = Omit<EventMakingServices, "changes"> & {
  /** The catalog that the store was opened with. */
  readonly catalog: Catalog;
  readonly database: RegistryDatabase;
  /** Base URL of the addresses of records; undefined: events have no addresses. */
  readonly baseUrl: string | undefined;
  /** Longest time that a request waits, in milliseconds. */
  readonly wait: number;
};

/** Customers whose events are made at the same time. */
const concurrency = 2;

/** Creates the events over an open store and registry. */
export function createEntityEvents({
  catalog,
  database,
  baseUrl,
  wait,
  ...given
}: EntityEventOptions): EntityEvents {
  const services = { ...given, changes: new CommitChanges(given.store, catalog) };
  const stopping = new AbortController();
  const runs = new Map<string, Run>();
  const waiting: (() => void)[] = [];
  let running = 0;

  async function makeInTurn(run: Run): Promise<void> {
    if (running === concurrency) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      while (run.view !== undefined) {
        const { view } = run;
        run.view = undefined;
        stopping.signal.throwIfAborted();
        await makeEvents(view, services, stopping.signal);
      }
    } finally {
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  }

  /** Returns the run of a customer, which makes the events up to the present. */
  function runOf(view: EventView): Run {
    const { customer } = view.scope;
    const known = runs.get(customer);
    if (known !== undefined) {
      // Repeated, because it may have asked for the last commit before this request came.
      known.view = view;
      return known;
    }
    const run: Run = { view, done: Promise.resolve() };
    runs.set(customer, run);
    run.done = makeInTurn(run).finally(() => runs.delete(customer));
    // A failure is that of the requests that wait for it.
    run.done.catch(() => {});
    return run;
  }

  return {
    makeFor: async (view) => {
      const { done } = runOf(view);
      let timer: NodeJS.Timeout | undefined;
      const waited = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, wait);
      });
      await Promise.race([done, waited]).finally(() => clearTimeout(timer));
    },
    sourceOf: entityEventSource(database, baseUrl),
    stop: async () => {
      stopping.abort();
      await Promise.allSettled([...runs.values()].map(({ done }) => done));
    },
  };
}

/** Work for a customer: `view` is set if events are to be made, or made again. */
type Run = { view: EventView | undefined; done: Promise<void> };
