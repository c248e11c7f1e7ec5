import type { Knex } from "@cadastre/store/registry";
import { hasElapsed } from "../../elapsed.ts";
import { selectDelivery } from "../../ledger/tables/delivery-rows.ts";
import type { OutboxMessage, WebhookClaimTerms, WebhookOutbox, WebhookSending } from "../outbox.ts";
import { type MessageRow, messageTable, toWebhook, type WebhookRow, webhookTable } from "./webhook-rows.ts";

/** Creates the part of the outbox that sends messages. */
export const createSending = (knex: Knex): Pick<WebhookOutbox, "claim" | "note" | "drop" | "defer"> => ({
  claim: async (at, terms) => {
    const { lease, most } = terms;
    const sent = leasedOfCustomer(knex, at, lease);
    const first = await free(knex, at, terms)
      .whereExists(messageTable(knex).whereRaw("?? = ??", ["webhook", "cadastre_webhook.id"]))
      .andWhereRaw("? < ?", [sent, most])
      .orderBy([{ column: sent }, { column: "due" }, { column: "id" }])
      .first("id");
    if (first === undefined) return undefined;
    const [row] = await free(knex, at, terms)
      .andWhere({ id: first.id })
      .update({ leased: at + lease, round: knex.raw("?? + 1", ["round"]) })
      .returning("*");
    return row && toSending(knex, row);
  },
  note: (sending, { at, status, failure, state, isKept, due }) =>
    settle(
      knex,
      sending,
      {
        due,
        state,
        failure,
        last_status: status,
        last_attempt: at,
        attempts: isKept ? sending.attempts + 1 : 0,
      },
      state === "disabled" ? "all" : isKept ? "none" : "this",
    ),
  drop: (sending) => settle(knex, sending, { attempts: 0 }, "this"),
  defer: (sending, due) => settle(knex, sending, { due }, "none"),
});

/** Selects webhooks that are due and not claimed. */
const free = (knex: Knex, at: number, { lease, wait }: WebhookClaimTerms) =>
  webhookTable(knex)
    .whereNot({ state: "disabled" })
    .andWhere(hasElapsed("due", at, wait))
    .andWhere(hasElapsed("leased", at, lease));

/** Counts the claimed webhooks of the same customer. */
const leasedOfCustomer = (knex: Knex, at: number, lease: number) =>
  knex("cadastre_webhook as w")
    .count()
    .whereRaw("?? = ??", ["w.customer", "cadastre_webhook.customer"])
    .whereNot(hasElapsed("w.leased", at, lease));

type Settled = Partial<
  Pick<WebhookSending, "due" | "attempts"> &
    Pick<WebhookRow, "state" | "failure" | "last_status" | "last_attempt">
>;

/**
 * Releases a claimed webhook with changes, and deletes none, the claimed one or all of its messages. Returns false if the claim
 * is void.
 */
const settle = (
  knex: Knex,
  { webhook: { id }, round, due: before, message }: WebhookSending,
  { due = before, ...changes }: Settled,
  removed: "none" | "this" | "all",
): Promise<boolean> =>
  knex.transaction(async (transaction) => {
    const changed = await webhookTable(transaction)
      .where({ id, round })
      // If `due` has changed since the claim, such as for a test, the earlier time is kept.
      .update({
        ...changes,
        due: transaction.raw("case when ?? <> ? and ?? < ? then ?? else ? end", [
          "due",
          before,
          "due",
          due,
          "due",
          due,
        ]),
        leased: 0,
      });
    if (changed === 0) return false;
    const messages = messageTable(transaction).where({ webhook: id });
    if (removed === "this") await messages.andWhere({ id: message.id }).delete();
    if (removed === "all") await messages.delete();
    return true;
  });

async function toSending(knex: Knex, row: WebhookRow): Promise<WebhookSending | undefined> {
  const first = await messageTable(knex).where({ webhook: row.id }).orderBy(["at", "id"]).first();
  if (first === undefined) return undefined;
  return {
    webhook: toWebhook(row),
    secrets: { secret: row.secret, previous: row.previous_secret },
    attempts: row.attempts,
    round: row.round,
    due: Number(row.due),
    message: await toMessage(knex, first),
  };
}

const toMessage = async (knex: Knex, row: MessageRow): Promise<OutboxMessage> => ({
  id: row.id,
  type: row.type,
  at: Number(row.at),
  delivery: row.delivery === null ? null : ((await selectDelivery(knex, { id: row.delivery })) ?? null),
  entitlementVersion: row.entitlement_version === null ? null : Number(row.entitlement_version),
});
