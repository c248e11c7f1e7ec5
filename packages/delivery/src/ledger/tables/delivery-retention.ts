import type { Int64Column, Knex } from "@cadastre/store/registry";
import { destinationTable } from "../../destinations/tables/destination-rows.ts";
import { deadStates, statesBefore } from "../delivery.ts";
import type { DeliveryRetention } from "../delivery-retention.ts";
import { damagedDeliveries, damageTable, unneeded } from "./damaged-parts.ts";
import { bytesTable, deliveryTable, manifestTable, partTable } from "./delivery-rows.ts";
import { grantTable } from "./part-grants.ts";

/** Code of a delivery that failed because it expired before it was published. */
const deliveryExpired = "delivery_expired";

/** Creates the retention of deliveries in a database. */
export function createDeliveryRetention(knex: Knex): DeliveryRetention {
  /** Selects bytes that no part refers to and that no worker is writing. */
  const free = (builder: Knex) =>
    bytesTable(builder)
      .whereNotExists(
        partTable(builder).whereRaw("?? = ??", [
          "cadastre_delivery_part.sha256",
          "cadastre_part_bytes.sha256",
        ]),
      )
      .whereNotExists(
        deliveryTable(builder)
          .where({ state: "building" })
          .whereRaw("?? = ??", ["announced", "cadastre_part_bytes.sha256"]),
      );

  return {
    expire: async (at) => {
      await grantTable(knex).where("expires", "<=", at).delete();
      // Nothing is ever written to a disabled destination again, so its number in the sequence cannot be published twice.
      const disabled = destinationTable(knex).where({ state: "disabled" }).select("id");
      await deliveryTable(knex)
        .whereIn("state", ["sealed", "publishing"])
        .andWhere("expires", "<=", at)
        .andWhere((either) => void either.whereNull("committed").orWhereIn("destination", disabled))
        .update({ state: "failed", code: deliveryExpired, worker: null });
      return deliveryTable(knex)
        .whereIn("state", statesBefore("expired"))
        .andWhere("expires", "<=", at)
        .update({ state: "expired" });
    },
    purge: () =>
      knex.transaction(async (transaction) => {
        const expired = await deliveryTable(transaction)
          .whereIn("state", statesBefore("purged"))
          .update({ state: "purged" });
        const dead = deliveryTable(transaction).whereIn("state", deadStates).select("id");
        await partTable(transaction).whereIn("delivery", dead).delete();
        await manifestTable(transaction).whereIn("delivery", dead).delete();
        await unneeded(damageTable(transaction)).delete();
        return expired;
      }),
    removeBytes: async (limit, remove) => {
      const found: readonly string[] = await free(knex).limit(limit).pluck("sha256");
      let removed = 0;
      for (const sha256 of found)
        removed += await knex.transaction(async (transaction) => {
          // Locks the row, then checks again in a separate statement, which sees announcements made until then.
          await bytesTable(transaction).where({ sha256 }).update({ sha256 });
          const forgotten = await free(transaction).andWhere({ sha256 }).delete();
          if (forgotten > 0) await remove(sha256);
          return forgotten;
        });
      return removed;
    },
    claims: async () => {
      const rows = await deliveryTable(knex).where({ state: "building" }).select("id", "fence");
      const rebuilt = await damageTable(knex).whereNotNull("worker").select("sha256", "fence");
      const held = [...rows, ...rebuilt.map(({ sha256, fence }) => ({ id: sha256, fence }))];
      return held.map(({ id, fence }) => ({ id, fence: Number(fence) }));
    },
    earliestCheckpoint: async () => {
      const needed = knex.raw("coalesce(??, ??) as ??", ["from_checkpoint", "to_checkpoint", "needed"]);
      const built: { readonly needed: Int64Column } | undefined = await deliveryTable(knex)
        .whereIn("state", ["queued", "building"])
        .orderBy("needed")
        .first(needed);
      const rebuilt: { readonly needed: Int64Column } | undefined = await damagedDeliveries(knex)
        .orderBy("needed")
        .first(needed);
      const earliest = [built?.needed, rebuilt?.needed, await followedFrom(knex)].flatMap((one) =>
        one == null ? [] : [Number(one)],
      );
      return earliest.length === 0 ? undefined : Math.min(...earliest);
    },
  };
}

/**
 * Returns the earliest start of the next delivery windows of subscriptions. After a seed, the window starts at the end of the
 * seed.
 */
async function followedFrom(knex: Knex): Promise<Int64Column | null | undefined> {
  const begins = knex.raw("min(coalesce(??, ??)) as ??", [
    "cadastre_subscription.since",
    "cadastre_delivery.to_checkpoint",
    "begins",
  ]);
  const row: { readonly begins: Int64Column | null } | undefined = await knex("cadastre_subscription")
    .leftJoin("cadastre_delivery", "cadastre_delivery.id", "cadastre_subscription.delivery")
    .whereIn("cadastre_subscription.state", ["active", "suspended"])
    .first(begins);
  return row?.begins;
}
