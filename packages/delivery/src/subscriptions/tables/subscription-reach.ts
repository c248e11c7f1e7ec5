import type { Int64Column, Knex } from "@cadastre/store/registry";
import { acknowledgementTable } from "../../ledger/tables/acknowledgements.ts";
import { deliveryTable } from "../../ledger/tables/delivery-rows.ts";
import type { ReachedDelivery, SubscriptionReach } from "../subscription.ts";

/** Number of the last deliveries that are looked at for one that was acknowledged: three days of the shortest cadence. */
const lookedAt = 1000;

/** Returns how far a subscription has come. */
export async function selectReach(knex: Knex, subscription: string): Promise<SubscriptionReach> {
  const newest = deliveryTable(knex)
    .where({ subscription })
    .orderBy(["generation", "sequence"].map((column) => ({ column, order: "desc" as const })));
  const delivered = await newest
    .clone()
    .whereNotNull("completed")
    .first(...reachedColumns);
  if (delivered === undefined) return { delivered: null, acknowledged: null };
  // Only columns of the index and the id: the others of a row are far apart on disk.
  const ids = newest.clone().limit(lookedAt).select("id", "generation", "sequence").as("d");
  const last: { readonly id: string; readonly at: Int64Column } | undefined = await acknowledgementTable(knex)
    .from(ids)
    .join("cadastre_acknowledgement as k", "k.delivery", "d.id")
    .orderBy(["d.generation", "d.sequence"].map((column) => ({ column, order: "desc" as const })))
    .first("d.id", "k.at");
  const acknowledged =
    last &&
    (await deliveryTable(knex)
      .where({ id: last.id })
      .first(...reachedColumns));
  return {
    delivered: reachedBy(delivered, delivered.completed),
    acknowledged: acknowledged === undefined ? null : reachedBy(acknowledged, last?.at ?? null),
  };
}

const reachedColumns = ["id", "generation", "sequence", "created", "completed"] as const;

type ReachedRow = {
  readonly id: string;
  readonly generation: Int64Column;
  readonly sequence: Int64Column;
  readonly created: Int64Column;
};

const reachedBy = (
  { id, generation, sequence, created }: ReachedRow,
  at: Int64Column | null,
): ReachedDelivery => ({
  id,
  generation: Number(generation),
  sequence: Number(sequence),
  asOf: Number(created),
  at: Number(at),
});
