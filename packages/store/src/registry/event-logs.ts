import type { Knex } from "knex";
import { customerTable } from "./entitlements.ts";
import { type EventLogRow, eventLogTable, eventTable } from "./event-rows.ts";
import { type EventEngine, putEvents } from "./put-events.ts";
import { type RecordState, unknownHash } from "./record-state.ts";

/** How far the events of a customer are made. */
export type EventProgress = {
  /** The events give the customer's view as of this commit; its time is in milliseconds since 1970. Null until the first pass has ended. */
  readonly until: { readonly checkpoint: number; readonly time: number } | null;
  /** Identifies what the customer may see, and its schema. */
  readonly viewId: string;
  /** Version of the catalog that the events were made under. */
  readonly catalogVersion: number;
  /** Progress of a pass that has not ended, as JSON text. */
  readonly pass: string | null;
};

/** The log of a customer. */
export type EventLog = EventProgress & {
  /** Grows with every change. */
  readonly revision: number;
  /** Number of the last event; 0 if there is none. */
  readonly last: number;
};

/** A change of a log. */
export type EventAppend = {
  /** Version of the entitlement that the states were read under. */
  readonly entitlementVersion: number;
  /** Revision of the log that the change follows; null if there is none. */
  readonly revision: number | null;
  /** States in the order of their events. Each record occurs once. */
  readonly states: readonly RecordState[];
  /** Least number of a new event. */
  readonly floor: number;
  readonly progress: EventProgress;
};

/** The events of each customer. Every method throws {@link StoreError} `registry_unavailable`. */
export type EventLogs = {
  readonly find: (customer: string) => Promise<EventLog | undefined>;
  /**
   * Adds an event for each state that is another one than that of the record's last event, and removes that event. Numbers rise in the order of
   * the states. Returns the number of events; undefined if another process has changed the log, or the entitlement is not in force any more.
   */
  readonly append: (customer: string, append: EventAppend) => Promise<number | undefined>;
  /** Returns records of a resource that are not gone, by the number of their last event, from those after a number. */
  readonly shown: (
    customer: string,
    resource: string,
    range: { readonly after: number; readonly limit: number },
  ) => Promise<readonly { readonly number: number; readonly key: string }[]>;
};

/** Number of the first event, if nothing asks for a higher one. */
const firstNumber = 1;

/** Creates the event logs of a registry database. */
export const createEventLogs = (knex: Knex, engine: EventEngine): EventLogs => ({
  find: async (customer) => {
    const row = await eventLogTable(knex).where({ customer }).first();
    return row && toLog(row);
  },
  append: (customer, { entitlementVersion, revision, states, floor, progress }) =>
    knex.transaction(async (transaction) => {
      // Locks the customer, as `withCustomerLock` does: the first statement must be a write.
      const inForce = { name: customer, version: entitlementVersion };
      if ((await customerTable(transaction).where(inForce).update({ name: customer })) === 0)
        return undefined;
      const log = await eventLogTable(transaction).where({ customer }).first("revision", "next_number");
      if ((log === undefined ? null : Number(log.revision)) !== revision) return undefined;
      const changed = await changedStates(transaction, customer, states);
      const next = Number(log?.next_number ?? firstNumber);
      const first = changed.length === 0 ? next : Math.max(next, floor);
      await putEvents[engine](transaction, customer, first, changed);
      const row = { ...progressColumns(progress), next_number: first + changed.length };
      if (revision === null) await eventLogTable(transaction).insert({ ...row, customer, revision: 1 });
      else
        await eventLogTable(transaction)
          .where({ customer })
          .update({ ...row, revision: revision + 1 });
      return changed.length;
    }),
  shown: async (customer, resource, { after, limit }) => {
    const rows = await eventTable(knex)
      .where({ customer, resource })
      .andWhere("number", ">", after)
      .whereNotNull("hash")
      .orderBy("number")
      .limit(limit)
      .select("number", "record_key");
    return rows.map(({ number, record_key }) => ({ number: Number(number), key: record_key }));
  },
});

const progressColumns = ({ until, viewId, catalogVersion, pass }: EventProgress) => ({
  checkpoint: until?.checkpoint ?? null,
  committed: until?.time ?? null,
  view_id: viewId,
  catalog_version: catalogVersion,
  pass,
});

/** Returns the states that are other ones than those of the last events. A record without an event is as one that is gone. */
async function changedStates(
  transaction: Knex.Transaction,
  customer: string,
  states: readonly RecordState[],
): Promise<readonly RecordState[]> {
  const compared = states.filter(({ hash }) => hash !== unknownHash);
  if (compared.length === 0) return states;
  const keys = compared.map(({ key }) => key);
  const rows = await eventTable(transaction)
    .where({ customer })
    .whereIn("record_key", keys)
    .select("resource", "record_key", "hash");
  const hashes = new Map(rows.map(({ resource, record_key, hash }) => [`${resource} ${record_key}`, hash]));
  return states.filter(
    ({ resource, key, hash }) => hash === unknownHash || (hashes.get(`${resource} ${key}`) ?? null) !== hash,
  );
}

const toLog = ({
  revision,
  next_number,
  checkpoint,
  committed,
  view_id,
  catalog_version,
  pass,
}: EventLogRow): EventLog => ({
  revision: Number(revision),
  // An event is removed only when a higher one follows it.
  last: Number(next_number) - 1,
  // The time is not known of logs of the first release with events: they are compared with all records once.
  until:
    checkpoint === null || committed === null
      ? null
      : { checkpoint: Number(checkpoint), time: Number(committed) },
  viewId: view_id,
  catalogVersion: Number(catalog_version),
  pass,
});
