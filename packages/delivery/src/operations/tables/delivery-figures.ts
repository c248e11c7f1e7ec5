import { setImmediate } from "node:timers/promises";
import type { Int64Column, Knex } from "@cadastre/store/registry";
import { destinationTable } from "../../destinations/tables/destination-rows.ts";
import { openStates } from "../../ledger/delivery.ts";
import type { QueueDialect } from "../../ledger/tables/delivery-queue.ts";
import { deliveryTable, partTable } from "../../ledger/tables/delivery-rows.ts";
import { selectReach } from "../../subscriptions/tables/subscription-reach.ts";
import { subscriptionTable } from "../../subscriptions/tables/subscription-rows.ts";
import type { DeliveryFigures, DeliveryOperations, PartTotals } from "../operations.ts";

/** Time over which the rate of building is measured, in milliseconds. */
const rateSpan = 300_000;

/** Creates the figures of the deliveries in a database. */
export const createDeliveryFigures = (
  knex: Knex,
  { now }: QueueDialect,
): Pick<DeliveryOperations, "figures"> => ({
  figures: async (most) => {
    const states = await countBy(deliveryTable(knex).whereIn("state", openStates), "state");
    const recent = await totalsIn(partTable(knex).whereRaw(`?? >= ${now} - ?`, ["finished", rateSpan]));
    const perSecond = (count: number) => (count * 1000) / rateSpan;
    return {
      open: Object.fromEntries(
        openStates.map((state) => [state, states.get(state) ?? 0]),
      ) as DeliveryFigures["open"],
      failed: await countBy(deliveryTable(knex).where({ state: "failed" }), "code"),
      suspended: await countBy(subscriptionTable(knex).where({ state: "suspended" }), "code"),
      pointersDenied: await countDeniedPointers(knex),
      rate: { rows: perSecond(recent.rows), bytes: perSecond(recent.bytes) },
      stored: await totalsIn(partTable(knex)),
      reach: await reachOf(knex, most),
    };
  },
});

async function countDeniedPointers(knex: Knex): Promise<number> {
  const found = destinationTable(knex).whereNotNull("pointer_denied").whereNot({ state: "disabled" });
  const [counted] = await found.count({ count: "*" });
  return Number(counted?.count);
}

type CountRow = { readonly value: string | null; readonly count: number | string };

/** Counts the rows of a query by the value of a column. */
async function countBy(rows: Knex.QueryBuilder, column: string): Promise<ReadonlyMap<string, number>> {
  const counts: readonly CountRow[] = await rows
    .groupBy(column)
    .select({ value: column })
    .count({ count: "*" });
  return new Map(counts.map(({ value, count }) => [value ?? "", Number(count)]));
}

type TotalsRow = Readonly<Record<"parts" | "rows" | "bytes", Int64Column | null>>;

/** Returns the number and size of the parts that a query selects. */
export async function totalsIn(parts: ReturnType<typeof partTable>): Promise<PartTotals> {
  const [totals] = (await parts
    .count({ parts: "*" })
    .sum({ rows: "rows", bytes: "byte_length" })) as readonly TotalsRow[];
  return {
    parts: Number(totals?.parts ?? 0),
    rows: Number(totals?.rows ?? 0),
    bytes: Number(totals?.bytes ?? 0),
  };
}

async function reachOf(knex: Knex, most: number): Promise<DeliveryFigures["reach"]> {
  const ids: readonly string[] = await subscriptionTable(knex)
    .whereIn("state", ["active", "suspended"])
    .orderByRaw("coalesce(??, 0), ??", ["due", "id"])
    .limit(most)
    .pluck("id");
  const found: DeliveryFigures["reach"][number][] = [];
  for (const id of ids) {
    found.push({ subscription: id, ...(await selectReach(knex, id)) });
    // Queries of SQLite run in this thread: requests go on between them.
    await setImmediate();
  }
  return found;
}
