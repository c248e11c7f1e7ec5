import type { Knex } from "@cadastre/store/registry";
import { hasElapsed } from "../../elapsed.ts";
import { selectDelivery } from "../../ledger/tables/delivery-rows.ts";
import type { OutboxMessage, WebhookClaimTerms, WebhookOutbox, WebhookSending } from "../outbox.ts";
import {
  type MessageRow,
  messageTable,
  tokenTable,
  toWebhook,
  type WebhookRow,
  webhookTable,
} from "./webhook-rows.ts";

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
  note: (sending, { at, status, failure, state, message, due, sent }) =>
    settle(
      knex,
      sending,
      {
        due,
        state,
        failure,
        last_status: status,
        last_attempt: at,
        attempts: message === "kept" ? sending.attempts + 1 : 0,
        ...(sent === undefined ? {} : { event_number: sent }),
      },
      state === "disabled" ? deleteAll : message === "continued" ? renewAt(at) : settlements[message],
    ),
  drop: (sending) => settle(knex, sending, { attempts: 0 }, settlements.done),
  defer: (sending, due) => settle(knex, sending, { due }, settlements.kept),
});

/** Changes the messages of a webhook, of which `id` was claimed. */
type Settlement = (messages: ReturnType<typeof messageTable>, id: string) => PromiseLike<unknown>;

const deleteAll: Settlement = (messages) => messages.delete();

const settlements = {
  done: (messages, id) => messages.andWhere({ id }).delete(),
  kept: async () => {},
} as const satisfies Record<string, Settlement>;

/** Makes the claimed message as old as one that was created at a time. */
const renewAt =
  (at: number): Settlement =>
  (messages, id) =>
    messages.andWhere({ id }).update({ at });

/** Selects webhooks that are due and not claimed. */
const free = (knex: Knex, at: number, { lease, wait }: WebhookClaimTerms) =>
  webhookTable(knex)
    .whereNotIn("state", ["suspended", "disabled"])
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
    Pick<WebhookRow, "state" | "failure" | "last_status" | "last_attempt" | "event_number">
>;

/** Releases a claimed webhook with changes, and settles its messages. Returns false if the claim is void. */
const settle = (
  knex: Knex,
  { webhook: { id }, round, due: before, message }: WebhookSending,
  { due = before, ...changes }: Settled,
  settlement: Settlement,
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
    await settlement(messageTable(transaction).where({ webhook: id }), message.id);
    return true;
  });

async function toSending(knex: Knex, row: WebhookRow): Promise<WebhookSending | undefined> {
  const first = await messageTable(knex).where({ webhook: row.id }).orderBy(["at", "id"]).first();
  if (first === undefined) return undefined;
  return {
    webhook: toWebhook(row),
    secrets: { secret: row.secret, previous: row.previous_secret, token: await tokenOf(knex, row) },
    attempts: row.attempts,
    round: row.round,
    due: Number(row.due),
    message: await toMessage(knex, first),
  };
}

/** Returns the encrypted token of a webhook for entity events; null for any other. */
async function tokenOf(
  knex: Knex,
  { id, event_number }: Pick<WebhookRow, "id" | "event_number">,
): Promise<string | null> {
  if (event_number === null) return null;
  const found = await tokenTable(knex).where({ webhook: id }).first("token");
  return found?.token ?? null;
}

const toMessage = async (knex: Knex, row: MessageRow): Promise<OutboxMessage> => ({
  id: row.id,
  type: row.type,
  at: Number(row.at),
  delivery: row.delivery === null ? null : ((await selectDelivery(knex, { id: row.delivery })) ?? null),
  entitlementVersion: row.entitlement_version === null ? null : Number(row.entitlement_version),
  suspended:
    row.subscription === null || row.code === null
      ? null
      : { subscription: row.subscription, code: row.code },
});
