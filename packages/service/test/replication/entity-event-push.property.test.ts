import {
  createDeliveryRegistry,
  createWebhookSender,
  createWebhooks,
  type WebhookSenderOptions,
} from "@cadastre/delivery";
import { type Receiver, startReceiver } from "@cadastre/delivery/testing";
import { compileScope, type Scope } from "@cadastre/entitlement";
import type { WritableStore } from "@cadastre/store";
import type { AccessRegistry } from "@cadastre/store/registry";
import fc from "fast-check";
import { pino } from "pino";
import { describe, expect, test } from "vitest";
import { createEntityEvents, type EntityEvents } from "../../src/events/entity-events.ts";
import { eventFeed } from "../../src/events/event-feed.ts";
import { eventViewOf } from "../../src/events/event-view.ts";
import { engines } from "../interference/engines.ts";
import { anyGrants } from "../interference/grants.ts";
import type { Grants, World } from "../interference/projection.ts";
import { baseUrl, documentOf, openSide, type Side } from "../interference/side.ts";
import { resourceNames, scopeOptions, universeSet } from "../interference/universe.ts";
import { after, changes, worlds } from "../interference/worlds.ts";
import { testCatalog } from "../support/test-catalog.ts";
import { Follower, type Numbers, type Row } from "./event-follower.ts";

/** `CASES=1000` runs more cases, `SEED=1` repeats the same ones. */
const { CASES, SEED } = process.env;
const numRuns = Number(CASES ?? 3);
const parameters = SEED === undefined ? { numRuns } : { numRuns, seed: Number(SEED) };

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("change" as const), change: changes }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("return" as const), change: changes }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("grant" as const), grants: anyGrants }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("prune" as const) }) },
);

/** Answer of the receiver to a message. */
const answer = fc.constantFrom("take", "take", "take and hang up", "refuse", "pause", "be silent");

/** Where the sender dies. */
const death = fc.constantFrom("nowhere", "nowhere", "before the post", "after the post", "after the note");

const cases = fc.record({
  grants: anyGrants,
  world: worlds,
  /** Changes while the receiver reads records. */
  meanwhile: fc.array(changes, { maxLength: 3 }),
  answers: fc.array(answer, { maxLength: 12 }),
  deaths: fc.array(death, { maxLength: 12 }),
  /** Most events in a message. */
  limit: fc.constantFrom(1, 3, 500),
  steps: fc.array(step, { minLength: 1, maxLength: 5 }),
});
type Case = typeof cases extends fc.Arbitrary<infer Given> ? Given : never;

const active = resourceNames.map(universeSet);
const key = Buffer.alloc(32, 7);
const hour = 3_600_000;

type Parts = {
  readonly side: Side;
  readonly store: WritableStore;
  readonly registry: AccessRegistry;
  /** Makes the events that are pushed, as a worker does: not those of the side. */
  readonly events: EntityEvents;
  readonly receiver: Receiver;
  readonly numbers: Numbers;
};

type Outbox = WebhookSenderOptions["outbox"];

/** An outbox whose sender dies at a point: nothing that it does afterwards has an effect. */
function dyingAt(point: string, outbox: Outbox): Outbox {
  const die = () => Promise.reject(new Error("died"));
  const dead = { note: die, defer: die, drop: die };
  if (point === "nowhere") return outbox;
  if (point !== "after the note") return { ...outbox, ...dead };
  return {
    ...outbox,
    ...dead,
    note: async (...noted) => {
      await outbox.note(...noted);
      return die();
    },
  };
}

async function run({ side, store, registry, events, receiver, numbers }: Parts, given: Case): Promise<void> {
  const { webhooks: records } = createDeliveryRegistry(registry.database);
  const clock = { now: Date.now() };
  const own = { key, loopback: true, clock: () => clock.now };
  const webhooks = createWebhooks({ registry: records, sendsEvents: true, ...own });
  const feed = eventFeed(events, {
    store,
    logs: registry.events,
    activation: { entitySets: () => active },
    log: pino({ level: "silent" }),
  });
  const left = [...given.meanwhile];
  const [answers, deaths] = [[...given.answers], [...given.deaths]];
  let world: World = given.world;
  const fill = async (to: World) => {
    world = to;
    await side.fill(world);
  };
  const admit = (grants: Grants): Scope => {
    side.admit({ one: grants, other: grants });
    return compileScope(documentOf("one", grants), scopeOptions);
  };
  let scope = admit(given.grants);

  const follower = new Follower(side, numbers, "one");
  let fault: unknown;
  const take = async (body: string) => {
    const { value } = JSON.parse(body) as { value: readonly Row[] };
    const sent = value.map((event) => Number(event["EntityEventSequence"]));
    expect(sent).toEqual(sent.toSorted((a, b) => a - b));
    for (const event of value) {
      await follower.take(event);
      const to = left.shift();
      if (to !== undefined) await fill(after(world, to));
    }
  };
  receiver.answer = (response, { body }) => {
    const does = answers.shift() ?? "take";
    const taken = does.startsWith("take") ? take(body) : Promise.resolve();
    void taken
      .catch((error: unknown) => {
        fault = error;
      })
      .then(() => {
        if (does === "take") response.writeHead(204).end();
        else if (does === "refuse") response.writeHead(503).end();
        else if (does === "pause") response.writeHead(429, { "retry-after": "100" }).end();
        else if (does !== "be silent") response.destroy();
      });
  };

  const send = async (): Promise<void> => {
    const point = deaths.shift() ?? "nowhere";
    const sender = createWebhookSender({
      ...own,
      // The receiver reads records before it answers; silence is what takes long.
      timeout: answers[0] === "be silent" ? 50 : 30_000,
      outbox: dyingAt(point, records.outbox),
      events: {
        follow: feed.follow,
        after: (customer, number) =>
          point === "before the post"
            ? Promise.reject(new Error("died"))
            : feed.after(customer, number, given.limit),
      },
      scopeOf: async () => scope,
    });
    await sender.gatherEvents();
    await sender.send();
    if (fault !== undefined) throw fault;
  };

  /** Sends until the receiver has all events. */
  const settle = async (id: string): Promise<void> => {
    for (;;) {
      await send();
      clock.now += 6 * hour;
      await events.makeFor(eventViewOf(active, scope));
      const { state, eventPush } = await webhooks.find("one", id);
      if (state === "suspended") await webhooks.test("one", id);
      const { last, until } = (await registry.events.find("one")) ?? { last: 0, until: null };
      if (eventPush?.sent === last && until?.checkpoint === (await store.checkpoint())) return;
    }
  };

  await fill(world);
  const { webhook } = await webhooks.register(scope, { url: receiver.url, entityEvents: { token: "t" } });
  try {
    await settle(webhook.id);
    for (const next of given.steps) {
      left.push(...given.meanwhile);
      const before = world;
      if (next.do === "change") await fill(after(world, next.change));
      if (next.do === "return") {
        await fill(after(world, next.change));
        await send();
        await fill(before);
      }
      if (next.do === "prune") await store.prune(Date.now() + 60_000);
      if (next.do === "grant") scope = admit(next.grants);
      await settle(webhook.id);
      const fresh = new Follower(side, numbers, "one");
      await fresh.seed(async () => {});
      expect(follower.copy).toEqual(fresh.copy);
      expect(follower.last).toBe(fresh.last);
    }
  } finally {
    await webhooks.remove("one", webhook.id);
  }
}

describe.each(Object.entries(engines).filter(([name]) => name !== "memory"))("over %s", (_, start) => {
  test(
    "a look at each record whose event was pushed gives what a fresh seed gives",
    async () => {
      const engine = await start();
      const store = (await engine.open("pushes")) as WritableStore;
      const registry = await engine.openRegistry("pushes");
      const side = await openSide(store, { registry });
      const receiver = await startReceiver();
      const events = createEntityEvents({
        store,
        catalog: testCatalog,
        logs: registry.events,
        database: registry.database,
        catalogVersion: 1,
        baseUrl,
        wait: 60_000,
        now: Date.now,
      });
      const parts = { side, store, registry, events, receiver, numbers: new Map<number, string>() };
      try {
        await fc.assert(
          fc.asyncProperty(cases, (given) => run(parts, given)),
          parameters,
        );
      } finally {
        await events.stop();
        await receiver.stop();
        await side.stop();
        await registry.close();
        await store.close();
        await engine.close();
      }
    },
    120_000 + numRuns * 20_000,
  );
});
