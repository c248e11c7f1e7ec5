import type { WritableStore } from "@cadastre/store";
import type { World } from "../interference/projection.ts";
import type { Customer, Side } from "../interference/side.ts";
import type { Numbers } from "./event-follower.ts";
import type { History } from "./histories.ts";
import { type Between, quiet, ReplicatingClient } from "./replicating-client.ts";
import type { WorldStep } from "./world-steps.ts";

/** A service of one store, and the numbers of events that it has given to each customer. */
export type ObservedService = {
  readonly side: Side;
  readonly store: Pick<WritableStore, "prune">;
  readonly numbers: Readonly<Record<Customer, Numbers>>;
};

/**
 * Two customers keep copies by delta links and by events, while records and grants change. Throws if a copy differs from what a fresh walk
 * or a fresh seed gives: the copies of results after each step, those of all records wherever a later full pass could repair them, and at
 * the end.
 */
export async function followHistory(
  { side, store, numbers }: ObservedService,
  given: History,
): Promise<void> {
  let world: World = given.world;
  const change = async (step: WorldStep) => {
    world = step(world);
    await side.hold(world);
  };
  const left = [...given.meanwhile];
  const between: Between = async () => {
    const step = left.shift() ?? null;
    if (step !== null) await change(step);
  };
  const clientOf = (customer: Customer) =>
    new ReplicatingClient(side, customer, given.grants[customer], given.tracked[customer], numbers[customer]);
  const clients = { one: clientOf("one"), other: clientOf("other") };
  const admit = () => side.admit({ one: clients.one.granted, other: clients.other.granted });
  const all = [clients.one, clients.other];
  const each = async (work: (client: ReplicatingClient) => Promise<void>) => {
    for (const client of all) await work(client);
  };

  await side.hold(world);
  admit();
  await each((client) => client.seed(between));
  for (const next of [...given.steps, undefined]) {
    if (next?.do === "change") await change(next.change);
    if (next?.do === "return") {
      // Records change after the client has asked for events, are read, and change back before it asks again.
      const before = world;
      left.unshift(next.change);
      await each((client) => client.compareRecords());
      await each((client) => client.readAgain(between));
      await change(() => before);
    }
    if (next?.do === "prune") await store.prune(Date.now() + 60_000);
    if (next?.do === "grant") {
      const client = clients[next.customer];
      client.granted = next.grants;
      admit();
      await client.takeGrants();
    }
    const causeOf = ({ customer }: ReplicatingClient) =>
      next?.do === "prune" || (next?.do === "grant" && next.customer === customer) ? next.do : undefined;
    // What changes between the pages comes with the next request for changes.
    if (left.length > 0) {
      await each((client) => client.followLink(between, causeOf(client)));
      await each((client) => client.followEvents(between));
    }
    await each((client) => client.followLink(quiet, causeOf(client)));
    await each((client) => client.followEvents(quiet));
    await each((client) => client.compareResult());
    all.reverse();
  }
  await each((client) => client.compareRecords());
}
