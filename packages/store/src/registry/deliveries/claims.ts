import type { Knex } from "knex";
import { StoreError } from "../../errors.ts";
import type { DeliveryState } from "./delivery.ts";
import type { QueueDialect } from "./dialect.ts";
import type { Claim, DeliveryQueue } from "./queue.ts";
import { bytesTable, deliveryTable, manifestTable, partTable, toDelivery } from "./rows.ts";

/** Why a delivery fails whose workers were lost one after the other. */
const workerLost = "worker_lost";

/** Nobody builds it. */
const unclaimed = { worker: null, announced: null } as const;

/** The queue of deliveries in a database. */
export function createDeliveryQueue(knex: Knex, { now, unlocked }: QueueDialect): DeliveryQueue {
  const after = (milliseconds: number) => knex.raw(`${now} + ?`, [milliseconds]);
  /** Deliveries that wait, or whose lease has ended. */
  const due = (builder: Knex, states: readonly DeliveryState[]) =>
    deliveryTable(builder).whereIn("state", states).andWhere("due", "<=", knex.raw(now));

  /** Change a delivery under a claim. */
  async function hold(builder: Knex, { id, fence }: Claim, changes: object): Promise<void> {
    const held = await deliveryTable(builder).where({ id, fence, state: "building" }).update(changes);
    if (held === 0) throw new StoreError("lease_lost", id);
  }

  return {
    claim: async (worker, { lease, attempts }) => {
      // Whoever only looks does not lock.
      if ((await due(knex, ["queued", "building"]).first("id")) === undefined) return undefined;
      await due(knex, ["building"])
        .andWhere("attempts", ">=", attempts)
        .update({ ...unclaimed, state: "failed", code: workerLost });
      const first = due(knex, ["queued", "building"]).select("id").orderBy(["created", "id"]).limit(1);
      const [row] = await deliveryTable(knex)
        .where("id", unlocked(first))
        .update({
          state: "building",
          worker,
          fence: knex.raw("?? + 1", ["fence"]),
          attempts: knex.raw("?? + 1", ["attempts"]),
          due: after(lease),
        })
        .returning("*");
      return row && { claim: { id: row.id, fence: Number(row.fence) }, delivery: toDelivery(row) };
    },
    extend: (claim, lease) => hold(knex, claim, { due: after(lease) }),
    announce: (claim, sha256) =>
      knex.transaction(async (transaction) => {
        await hold(transaction, claim, { announced: sha256 });
        // Waits for a removal of the bytes, and has the next one wait for this.
        await bytesTable(transaction).insert({ sha256 }).onConflict("sha256").merge();
      }),
    addPart: (claim, { byteLength, ...part }) =>
      knex.transaction(async (transaction) => {
        await hold(transaction, claim, { announced: null, attempts: 1 });
        await partTable(transaction).insert({ ...part, delivery: claim.id, byte_length: byteLength });
      }),
    seal: (claim, manifest, at) =>
      knex.transaction(async (transaction) => {
        const sealed = { ...unclaimed, manifest_sha256: manifest.sha256 };
        await hold(transaction, claim, { ...sealed, state: "sealed" });
        await manifestTable(transaction).insert({ ...manifest, delivery: claim.id });
        await deliveryTable(transaction)
          .where({ id: claim.id, mode: "pull" })
          .update({ state: "complete", completed: at });
      }),
    release: (claim) =>
      hold(knex, claim, {
        ...unclaimed,
        state: "queued",
        due: knex.raw(now),
        attempts: knex.raw("?? - 1", ["attempts"]),
      }),
    retry: (claim, delay, attempts, code) =>
      knex.transaction(async (transaction) => {
        await hold(transaction, claim, { ...unclaimed, state: "queued", due: after(delay) });
        const failed = await deliveryTable(transaction)
          .where({ id: claim.id })
          .andWhere("attempts", ">=", attempts)
          .update({ state: "failed", code });
        return failed > 0 ? "failed" : "queued";
      }),
    end: (claim, state, code) => hold(knex, claim, { ...unclaimed, state, code }),
    abandon: async (sha256) => {
      await bytesTable(knex).insert({ sha256 }).onConflict("sha256").ignore();
    },
  };
}
