import type { Knex, RegistryDatabase } from "@cadastre/store/registry";
import { hasElapsed } from "../../elapsed.ts";
import { DeliveryError } from "../../errors.ts";
import type { DeliveryState } from "../delivery.ts";
import type { Claim, DeliveryQueue } from "../queue.ts";
import {
  bytesTable,
  deliveryTable,
  manifestRow,
  manifestTable,
  partTable,
  revocable,
  toDelivery,
} from "./delivery-rows.ts";

/** SQL of queue statements that differs between the databases. */
export type QueueDialect = {
  /** Expression for the current time, in milliseconds since 1970. */
  readonly now: string;
  /** Makes a query lock the row it selects, and skip rows locked by others. */
  readonly unlocked: <Query extends Knex.QueryBuilder>(query: Query) => Query;
};

/** Longest time that a delivery or a rebuild waits for its next attempt or for the end of a lease, in milliseconds. */
const longestWait = 3_600_000;

/** Returns the SQL of a time some milliseconds from now, an hour at most. */
export const timeAfter = (knex: Knex, { now }: Pick<QueueDialect, "now">, milliseconds: number): Knex.Raw =>
  knex.raw(`${now} + ?`, [Math.min(milliseconds, longestWait)]);

/** Returns the condition that a queued delivery is due. */
export const isDue = (knex: Knex, { now }: Pick<QueueDialect, "now">) =>
  hasElapsed("due", knex.raw(now), longestWait);

export const queueDialects: Readonly<Record<RegistryDatabase["engine"], QueueDialect>> = {
  sqlite: {
    now: "cast(unixepoch('subsec') * 1000 as integer)",
    // SQLite locks the whole file for every write.
    unlocked: (query) => query,
  },
  postgres: {
    // The time of the statement, because the transaction may have started long before.
    now: "cast(extract(epoch from clock_timestamp()) * 1000 as bigint)",
    unlocked: (query) => {
      query.forUpdate().skipLocked();
      return query;
    },
  },
};

/** Code of a delivery that failed because all its workers were lost. */
const workerLost = "worker_lost";

/** Column values of a delivery without a worker. */
const unclaimed = { worker: null, announced: null } as const;

/** For each task, the state of deliveries that wait for it, and of those that are claimed. */
const tasks = { build: ["queued", "building"], publish: ["sealed", "publishing"] } as const;

const held = Object.values(tasks).map(([, state]) => state);

/** Creates the queue of deliveries in a database. */
export function createDeliveryQueue(knex: Knex, { now, unlocked }: QueueDialect): DeliveryQueue {
  const after = (milliseconds: number) => timeAfter(knex, { now }, milliseconds);
  /** Selects deliveries that wait, or whose lease has ended. */
  const due = (table: ReturnType<typeof deliveryTable>, states: readonly DeliveryState[]) =>
    table.whereIn("state", states).andWhere(isDue(knex, { now }));

  /**
   * Changes a delivery if the claim is valid and the delivery is in one of the states.
   *
   * @throws {DeliveryError} `lease_lost`
   */
  async function hold(
    builder: Knex,
    { id, fence }: Claim,
    states: readonly DeliveryState[],
    changes: object,
  ): Promise<void> {
    const changed = await deliveryTable(builder)
      .where({ id, fence })
      .whereIn("state", states)
      .update(changes);
    if (changed === 0) throw new DeliveryError("lease_lost", id);
  }
  /** The state of a delivery that is returned to the queue. */
  const waiting = knex.raw("case ?? when 'publishing' then 'sealed' else 'queued' end", ["state"]);

  return {
    claim: async (worker, { lease, attempts, task = "build" }) => {
      const states = tasks[task];
      const [, claimed] = states;
      // A plain read first, so that an idle worker takes no lock.
      if ((await due(deliveryTable(knex), states).first("id")) === undefined) return undefined;
      await due(revocable(knex), [claimed])
        .andWhere("attempts", ">=", attempts)
        .update({ ...unclaimed, state: "failed", code: workerLost });
      const first = due(deliveryTable(knex), states).select("id").orderBy(["created", "id"]).limit(1);
      const [row] = await deliveryTable(knex)
        .where("id", unlocked(first))
        .update({
          state: claimed,
          worker,
          fence: knex.raw("?? + 1", ["fence"]),
          attempts: knex.raw("?? + 1", ["attempts"]),
          due: after(lease),
          claimed: knex.raw(now),
        })
        .returning("*");
      return row && { claim: { id: row.id, fence: Number(row.fence) }, delivery: toDelivery(row) };
    },
    extend: (claim, lease) => hold(knex, claim, held, { due: after(lease) }),
    announce: (claim, sha256) =>
      knex.transaction(async (transaction) => {
        await hold(transaction, claim, ["building"], { announced: sha256 });
        // The upsert locks the row: it waits for a running removal of the bytes, and the next removal waits for this
        // transaction.
        await bytesTable(transaction).insert({ sha256 }).onConflict("sha256").merge();
      }),
    addPart: (claim, { byteLength, ...part }) =>
      knex.transaction(async (transaction) => {
        await hold(transaction, claim, ["building"], { announced: null, attempts: 1 });
        await partTable(transaction).insert({
          ...part,
          delivery: claim.id,
          byte_length: byteLength,
          finished: knex.raw(now),
        });
      }),
    seal: (claim, manifest, at) =>
      knex.transaction(async (transaction) => {
        const sealed = {
          ...unclaimed,
          manifest_sha256: manifest.sha256,
          attempts: 0,
          due: knex.raw(now),
          fault: null,
        };
        await hold(transaction, claim, ["building"], { ...sealed, state: "sealed" });
        await manifestTable(transaction).insert({ ...manifestRow(manifest), delivery: claim.id });
        if ((await partTable(transaction).where({ delivery: claim.id }).first("ordinal")) === undefined)
          await deliveryTable(transaction).where({ id: claim.id, kind: "delta" }).update({ no_change: true });
        await deliveryTable(transaction)
          .where({ id: claim.id, mode: "pull" })
          .update({ state: "complete", completed: at });
      }),
    advance: (claim) => hold(knex, claim, ["publishing"], { attempts: 1 }),
    commit: (claim, at) =>
      hold(knex, claim, ["publishing"], { committed: knex.raw("coalesce(??, ?)", ["committed", at]) }),
    complete: (claim, at) =>
      hold(knex, claim, ["publishing"], {
        ...unclaimed,
        state: "complete",
        completed: at,
        code: null,
        fault: null,
      }),
    release: (claim) =>
      hold(knex, claim, held, {
        ...unclaimed,
        state: waiting,
        due: knex.raw(now),
        attempts: knex.raw("?? - 1", ["attempts"]),
      }),
    retry: (claim, delay, attempts, code) =>
      knex.transaction(async (transaction) => {
        await hold(transaction, claim, held, {
          ...unclaimed,
          state: waiting,
          due: after(delay),
          fault: code,
        });
        await deliveryTable(transaction).where({ id: claim.id }).whereNotNull("committed").update({ code });
        await revocable(transaction)
          .where({ id: claim.id })
          .andWhere("attempts", ">=", attempts)
          .update({ state: "failed", code });
        const row = await deliveryTable(transaction).where({ id: claim.id }).first("state");
        return row?.state === "sealed" || row?.state === "failed" ? row.state : "queued";
      }),
    end: (claim, state, code) =>
      knex.transaction(async (transaction) => {
        // Changes nothing, but checks the claim and locks the delivery against other changes.
        await hold(transaction, claim, held, { fence: claim.fence });
        const ended = await revocable(transaction)
          .where({ id: claim.id })
          .update({ ...unclaimed, state, code });
        return ended > 0;
      }),
    abandon: async (sha256) => {
      await bytesTable(knex).insert({ sha256 }).onConflict("sha256").ignore();
    },
  };
}
