import type { Knex } from "knex";
import { deadStates, statesBefore } from "./delivery.ts";
import { grantTable } from "./grants.ts";
import type { DeliveryRetention } from "./retention.ts";
import { bytesTable, deliveryTable, manifestTable, partTable } from "./rows.ts";

/** What is not needed any more of the deliveries in a database. */
export function createDeliveryRetention(knex: Knex): DeliveryRetention {
  /** Bytes that no part has, and that nobody is putting. */
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
        return expired;
      }),
    removeBytes: async (limit, remove) => {
      const found: readonly string[] = await free(knex).limit(limit).pluck("sha256");
      let removed = 0;
      for (const sha256 of found)
        removed += await knex.transaction(async (transaction) => {
          // Locks the row before it is looked again, by a statement of its own that sees who has announced the bytes till then.
          await bytesTable(transaction).where({ sha256 }).update({ sha256 });
          const forgotten = await free(transaction).andWhere({ sha256 }).delete();
          if (forgotten > 0) await remove(sha256);
          return forgotten;
        });
      return removed;
    },
    claims: async () => {
      const rows = await deliveryTable(knex).where({ state: "building" }).select("id", "fence");
      return rows.map(({ id, fence }) => ({ id, fence: Number(fence) }));
    },
    earliestCheckpoint: async () => {
      const needed = knex.raw("coalesce(??, ??) as ??", ["from_checkpoint", "to_checkpoint", "needed"]);
      const row: { readonly needed: number | string } | undefined = await deliveryTable(knex)
        .whereIn("state", ["queued", "building"])
        .orderBy("needed")
        .first(needed);
      return row && Number(row.needed);
    },
  };
}
