import type { Int64Column, Knex } from "@cadastre/store/registry";
import { DeliveryError } from "../../errors.ts";
import { openStates, partLost } from "../delivery.ts";
import type { ClaimedDamage, PartDamage } from "../part-damage.ts";
import type { Claim } from "../queue.ts";
import { isDue, type QueueDialect, timeAfter } from "./delivery-queue.ts";
import {
  deliveryTable,
  manifestRow,
  manifestTable,
  partTable,
  selectParts,
  toDelivery,
} from "./delivery-rows.ts";

type DamageRow = {
  readonly sha256: string;
  readonly found: Int64Column;
  readonly worker: string | null;
  readonly fence: Int64Column;
  readonly attempts: number;
  readonly due: Int64Column;
};

/** Query builder for the table of damaged bytes. */
export const damageTable = (knex: Knex) => knex<DamageRow>("cadastre_damage");

/** Pause before the next claim if the delivery's publication is committed, so that it cannot be set to failed. In milliseconds. */
const committedWait = 300_000;

/** Restricts a statement to deliveries whose stored parts are still needed. A complete one of mode `push` is already in the bucket. */
const needing = (builder: Knex.QueryBuilder): void => {
  builder
    .where((fetched) => void fetched.where("state", "complete").whereNot("mode", "push"))
    .orWhereIn("state", openStates);
};

/** Selects the needed deliveries with a manifest or part of the given marks. */
const having = (knex: Knex, marks: ReturnType<typeof damageTable>) =>
  deliveryTable(knex)
    .where(needing)
    .andWhere((damaged) => {
      const hashes = marks.clone().select("sha256");
      damaged
        .whereIn("manifest_sha256", hashes)
        .orWhereIn("id", partTable(knex).whereIn("sha256", hashes.clone()).select("delivery"));
    });

/** Selects the needed deliveries with damaged bytes. */
export const damagedDeliveries = (knex: Knex) => having(knex, damageTable(knex));

/** Selects the needed deliveries of one mark, for a subquery on marks. */
const ofMark = (knex: Knex) =>
  deliveryTable(knex)
    .where(needing)
    .andWhere((damaged) => {
      const hash = knex.ref("cadastre_damage.sha256");
      damaged
        .where("manifest_sha256", hash)
        .orWhereIn("id", partTable(knex).where("sha256", hash).select("delivery"));
    });

/** Restricts a statement to marks of bytes that no delivery has any more. */
export const unneeded = <Query extends Knex.QueryBuilder>(marks: Query): Query => {
  marks
    .whereNotIn("sha256", (parts) => void parts.from("cadastre_delivery_part").select("sha256"))
    .whereNotIn("sha256", (manifests) => {
      manifests
        .from("cadastre_manifest as m")
        .join("cadastre_delivery as d", "d.id", "m.delivery")
        .whereNotNull("d.manifest_sha256")
        .select("d.manifest_sha256");
    });
  return marks;
};

/** Implements {@link PartDamage} in a database. */
export function createPartDamage(knex: Knex, { now, unlocked }: QueueDialect): PartDamage {
  const after = (milliseconds: number) => timeAfter(knex, { now }, milliseconds);
  const due = () => damageTable(knex).where(isDue(knex, { now }));
  const free = { worker: null, due: knex.raw(now) };

  async function hold(builder: Knex, { id, fence }: Claim, changes: object): Promise<void> {
    const changed = await damageTable(builder).where({ sha256: id, fence }).update(changes);
    if (changed === 0) throw new DeliveryError("lease_lost", id);
  }

  async function clear(builder: Knex, { id, fence }: Claim): Promise<void> {
    const removed = await damageTable(builder).where({ sha256: id, fence }).delete();
    if (removed === 0) throw new DeliveryError("lease_lost", id);
  }

  /** Returns the newest delivery that needs the bytes: its record versions are the least likely to be pruned. */
  async function damagedBy({ sha256, fence, attempts }: DamageRow): Promise<ClaimedDamage | undefined> {
    const row = await having(knex, damageTable(knex).where({ sha256 }))
      .orderBy(["created", "id"].map(descending))
      .first();
    if (row === undefined) return undefined;
    const delivery = toDelivery(row);
    const parts = await selectParts(knex, { delivery: delivery.id });
    const part = parts.find((one) => one.sha256 === sha256) ?? null;
    return { claim: { id: sha256, fence: Number(fence) }, delivery, part, attempts };
  }

  return {
    mark: async (sha256, at) => {
      const marked: readonly unknown[] = await damageTable(knex)
        .insert({ sha256, found: at })
        .onConflict("sha256")
        .ignore()
        .returning("sha256");
      return marked.length > 0;
    },
    isMarked: async (sha256) => (await damageTable(knex).where({ sha256 }).first("sha256")) !== undefined,
    claim: async (worker, lease) => {
      const first = due().whereExists(ofMark(knex)).orderBy(["found", "sha256"]).limit(1).select("sha256");
      // A plain read first, so that an idle worker takes no lock.
      if ((await first.clone()).length === 0) return undefined;
      const [row] = await damageTable(knex)
        .where("sha256", unlocked(first))
        .update({
          worker,
          fence: knex.raw("?? + 1", ["fence"]),
          attempts: knex.raw("?? + 1", ["attempts"]),
          due: after(lease),
        })
        .returning("*");
      return row && damagedBy(row);
    },
    extend: (claim, lease) => hold(knex, claim, { due: after(lease) }),
    clear: (claim) => clear(knex, claim),
    replaceManifest: (claim, delivery, manifest) =>
      knex.transaction(async (transaction) => {
        await clear(transaction, claim);
        await manifestTable(transaction).where({ delivery }).update(manifestRow(manifest));
      }),
    retry: (claim, wait, counting = "counted") =>
      hold(knex, claim, {
        worker: null,
        due: after(wait),
        ...(counting === "counted" ? {} : { attempts: knex.raw("?? - 1", ["attempts"]) }),
      }),
    lose: (claim, delivery) =>
      knex.transaction(async (transaction) => {
        await hold(transaction, claim, { ...free, attempts: 0 });
        const failed = await deliveryTable(transaction)
          .where({ id: delivery })
          .andWhere((either) => {
            either
              .where({ state: "complete" })
              .orWhere((open) => void open.whereIn("state", openStates).whereNull("committed"));
          })
          // Clears the notes on webhook messages, so that webhooks are sent `delivery.failed` after `delivery.completed`.
          .update({ state: "failed", code: partLost, worker: null, announced: null, told: null });
        if (failed === 0) await hold(transaction, claim, { due: after(committedWait) });
        return failed > 0;
      }),
  };
}

const descending = (column: string) => ({ column, order: "desc" as const });
