import type { Int64Column, Knex } from "@cadastre/store/registry";
import { int64ToNumber } from "@cadastre/store/registry";
import { DeliveryError } from "../../errors.ts";
import type { DeliveryState } from "../../ledger/delivery.ts";
import { isDue, type QueueDialect } from "../../ledger/tables/delivery-queue.ts";
import {
  type DeliveryRow,
  deliveryTable,
  manifestTable,
  partTable,
  toDelivery,
} from "../../ledger/tables/delivery-rows.ts";
import type { DeliveryOperations, OperatedDelivery, PartTotals } from "../operations.ts";
import { totalsIn } from "./delivery-figures.ts";

/** For each waiting state, the states of deliveries that the same workers claim. */
const rivals: Readonly<Partial<Record<DeliveryState, readonly DeliveryState[]>>> = {
  queued: ["queued", "building"],
  sealed: ["sealed", "publishing"],
};

/** Creates the operations on deliveries in a database. */
export const createDeliveryOperations = (
  knex: Knex,
  dialect: QueueDialect,
): Pick<DeliveryOperations, "deliveries" | "delivery" | "claimed" | "retry"> => ({
  deliveries: async ({ customer, states, subscription, limit }) => {
    const found = deliveryTable(knex)
      .orderBy(["created", "id"].map((column) => ({ column, order: "desc" as const })))
      .limit(limit);
    if (customer !== undefined) found.where({ customer });
    if (subscription !== undefined) found.where({ subscription });
    if (states !== undefined) found.whereIn("state", states);
    return (await found).map(toDelivery);
  },
  delivery: async (id) => {
    const now = knex.raw(`${dialect.now} as "now"`);
    const row: (DeliveryRow & { readonly now: Int64Column }) | undefined = await deliveryTable(knex)
      .where({ id })
      .first("*", now);
    return row && operatedOf(knex, dialect, row);
  },
  claimed: async () => {
    const rows = await deliveryTable(knex)
      .whereIn("state", ["building", "publishing"])
      .whereNotNull("worker")
      .orderBy(["claimed", "id"]);
    return rows.map(({ id, customer, state, worker, claimed }) => ({
      id,
      customer,
      state,
      worker: worker ?? "",
      claimed: int64ToNumber(claimed),
    }));
  },
  retry: (id, at) =>
    knex.transaction(async (transaction) => {
      // The first statement is a write, which locks the delivery.
      const [row] = await deliveryTable(transaction).where({ id }).update({ id }).returning("*");
      if (row === undefined) throw new DeliveryError("not_found", id);
      const reason = reasonNotToRetry(row, at);
      if (reason !== undefined) throw new DeliveryError("delivery_not_retried", reason);
      const due = { due: transaction.raw(dialect.now), attempts: 0 };
      if (row.state === "failed") {
        // Retention may have deleted some of them already.
        await partTable(transaction).where({ delivery: id }).delete();
        await manifestTable(transaction).where({ delivery: id }).delete();
      }
      const anew = { state: "queued", code: null, fault: null, manifest_sha256: null, told: null } as const;
      const [changed = row] = await deliveryTable(transaction)
        .where({ id })
        .update(row.state === "failed" ? { ...due, ...anew } : due)
        .returning("*");
      return toDelivery(changed);
    }),
});

/** Returns the reason why a delivery cannot be tried again; undefined if it can. */
function reasonNotToRetry(
  { state, completed, subscription, expires }: DeliveryRow,
  at: number,
): string | undefined {
  if (state === "queued" || state === "sealed") return undefined;
  if (state === "building" || state === "publishing") return "a worker has it";
  if (state !== "failed" || completed !== null) return `it is \`${state}\``;
  if (subscription !== null) return `its subscription ${subscription} creates another one once it is resumed`;
  return Number(expires) <= at ? "it has expired" : undefined;
}

async function operatedOf(
  knex: Knex,
  dialect: QueueDialect,
  row: DeliveryRow & { readonly now: Int64Column },
): Promise<OperatedDelivery> {
  const { id, claimed } = row;
  return {
    delivery: toDelivery(row),
    worker: row.worker,
    due: Number(row.due),
    claimed: int64ToNumber(claimed),
    fault: row.fault,
    now: Number(row.now),
    finished: await totalsOf(knex, id),
    sinceClaim:
      claimed === null ? { parts: 0, rows: 0, bytes: 0 } : await totalsOf(knex, id, Number(claimed)),
    ahead: await countAhead(knex, dialect, row),
  };
}

function totalsOf(knex: Knex, delivery: string, since?: number): Promise<PartTotals> {
  const parts = partTable(knex).where({ delivery });
  return totalsIn(since === undefined ? parts : parts.andWhere("finished", ">=", since));
}

/** Counts the deliveries that workers claim before a waiting one: older ones that are due or have a worker. */
async function countAhead(knex: Knex, dialect: QueueDialect, row: DeliveryRow): Promise<number> {
  const states = rivals[row.state];
  if (states === undefined) return 0;
  const [count] = await deliveryTable(knex)
    .whereIn("state", states)
    .andWhere((either) => void either.where(isDue(knex, dialect)).orWhereNotNull("worker"))
    .andWhereRaw("(??, ??) < (?, ?)", ["created", "id", Number(row.created), row.id])
    .count({ count: "*" });
  return Number(count?.count);
}
