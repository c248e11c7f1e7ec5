import { type Knex, withCustomerLock } from "@cadastre/store/registry";
import { hasElapsed } from "../../elapsed.ts";
import { DeliveryError } from "../../errors.ts";
import {
  type Destination,
  type DestinationRegistry,
  type DestinationState,
  destinationStatesBefore,
  type NewDestination,
} from "../destination.ts";
import { bucketTable, destinationTable, selectDestinations, toDestination } from "./destination-rows.ts";

/** Longest time that a destination waits for verification, in milliseconds. */
const longestWait = 3_600_000;

/** Creates the registry of destinations in a database. */
export function createDestinationRegistry(knex: Knex): DestinationRegistry {
  const change = changeOf(knex);
  /** A denial keeps the time at which it was first found. */
  const deniedSince = (isDenied: boolean, at: number) =>
    isDenied ? knex.raw("coalesce(??, ?)", ["pointer_denied", at]) : null;
  const verifying = knex.raw("case ?? when 'active' then 'active' else 'verifying' end", ["state"]);
  return {
    reserve: (destination, most = Infinity) =>
      withCustomerLock(knex, destination.customer, (transaction) => reserve(transaction, destination, most)),
    find: async (customer, id) => (await selectDestinations(knex, { customer, id }))[0],
    list: (customer) => selectDestinations(knex, { customer }),
    secret: async (customer, id) => {
      const row = await destinationTable(knex).where({ customer, id }).first();
      return row?.external_id ?? undefined;
    },
    beginVerification: (customer, id) => change({ customer, id }, verifiable, { state: verifying }),
    requestVerification: (customer, id, at) =>
      change({ customer, id }, verifiable, { state: verifying, due: at }),
    claimVerification: async (at, lease) => {
      const isDue = hasElapsed("due", at, longestWait);
      const first = destinationTable(knex).where(isDue).orderBy(["due", "id"]).limit(1);
      const [row] = await destinationTable(knex)
        .where("id", first.select("id"))
        // Checked again, because another process may have claimed it in the meantime.
        .andWhere(isDue)
        .update({ state: verifying, due: at + lease, round: knex.raw("?? + 1", ["round"]) })
        .returning("*");
      return row && toDestination(row);
    },
    note: async ({ id, round }, { at, failure, again, isPointerDenied }) => {
      const state = failure === null ? "active" : "degraded";
      const noted = await destinationTable(knex)
        .where({ id, round })
        .whereIn("state", destinationStatesBefore(state))
        .update({
          state,
          failure,
          due: again ?? null,
          ...(failure === null ? { verified: at } : {}),
          ...(isPointerDenied === undefined ? {} : { pointer_denied: deniedSince(isPointerDenied, at) }),
        });
      return noted > 0;
    },
    notePointer: async (id, isDenied, at) => {
      const known = destinationTable(knex).where({ id }).whereNot({ state: "disabled" });
      const other = isDenied ? known.whereNull("pointer_denied") : known.whereNotNull("pointer_denied");
      return (await other.update({ pointer_denied: isDenied ? at : null })) > 0;
    },
    rotate: (customer, id) =>
      change({ customer, id }, destinationStatesBefore("rotating"), { ...unwritten, state: "rotating" }),
    reissue: (customer, id, { secret, due, accessKeyId }) =>
      change({ customer, id }, ["rotating"], {
        state: "reserved",
        external_id: secret,
        ...(accessKeyId === undefined ? {} : { access_key_id: accessKeyId }),
        failure: null,
        due: due ?? null,
      }),
    disable: (customer, id) =>
      change({ customer, id }, [...destinationStatesBefore("disabled"), "disabled"], {
        ...unwritten,
        state: "disabled",
      }),
  };
}

type Change = {
  readonly state: DestinationState | Knex.Raw;
  readonly external_id?: string | null;
  readonly access_key_id?: string;
  readonly failure?: null;
  readonly due?: number | null;
};

/** Changes that stop all writing to the destination, and its verification. */
const unwritten = { external_id: null, due: null } as const;

const verifiable: readonly DestinationState[] = [...destinationStatesBefore("verifying"), "active"];

/** Returns a function that changes a destination which is in one of the states `from`, and starts a new round. */
const changeOf =
  (knex: Knex) =>
  (
    one: Pick<Destination, "customer" | "id">,
    from: readonly DestinationState[],
    values: Change,
  ): Promise<Destination> =>
    knex.transaction(async (transaction) => {
      const changed = await destinationTable(transaction)
        .where(one)
        .whereIn("state", from)
        .update({ ...values, round: transaction.raw("?? + 1", ["round"]) });
      const [destination] = await selectDestinations(transaction, one);
      if (destination === undefined) throw new DeliveryError("not_found", one.id);
      if (changed === 0) throw new DeliveryError("destination_state", `${one.id} is ${destination.state}`);
      return destination;
    });

/** Reserves a destination. Call it within `withCustomerLock`. */
async function reserve(
  transaction: Knex.Transaction,
  destination: NewDestination,
  most: number,
): Promise<Destination> {
  const { bucket, prefix, roleArn, kmsKeyArn, server, secret, due, ...row } = destination;
  const endpoint = server?.endpoint ?? null;
  const own = await selectDestinations(transaction, { customer: destination.customer });
  if (own.filter(({ state }) => state !== "disabled").length >= most)
    throw new DeliveryError("too_many_destinations");
  // The upsert locks the bucket's row, so that reservations in one bucket run one after another.
  const name = endpoint === null ? bucket : `${endpoint}/${bucket}`;
  await bucketTable(transaction).insert({ name }).onConflict("name").merge();
  const others = await selectDestinations(transaction, { bucket, endpoint });
  if (others.some((other) => other.state !== "disabled" && overlap(prefix, other.prefix)))
    throw new DeliveryError("destination_exists");
  await destinationTable(transaction).insert({
    ...row,
    bucket,
    prefix,
    role_arn: roleArn ?? "",
    kms_key_arn: kmsKeyArn,
    external_id: secret,
    endpoint,
    path_style: server?.pathStyle ?? null,
    access_key_id: server?.accessKeyId ?? null,
    due: due ?? null,
    state: "reserved",
    round: 0,
  });
  const { secret: _, due: __, ...reserved } = destination;
  return { ...reserved, state: "reserved", failure: null, verified: null, pointerDenied: null, round: 0 };
}

const overlap = (a: string, b: string): boolean => `${a}/`.startsWith(`${b}/`) || `${b}/`.startsWith(`${a}/`);
