import { setTimeout } from "node:timers/promises";
import type { Entitlement } from "@cadastre/entitlement";
import { type Random, randomFrom } from "../../bench/random.ts";
import { recordsOf } from "../../bench/records.ts";
import { takesEffectWithin } from "../../src/takes-effect.ts";
import { entitle } from "../support/entitle.ts";
import { type ChangingListings, changingListings } from "./changing-listings.ts";
import { type FollowedCopy, followedCopy } from "./followed-copy.ts";
import { type MonthService, startMonthService } from "./month-service.ts";

export type Month = {
  readonly database: "SQLite" | "PostgreSQL";
  readonly days: number;
  readonly listings: number;
  /** Number of changes in a commit. */
  readonly changes: number;
  readonly seed: number;
};

/** One copy at the end of one day. */
export type DayReport = {
  readonly day: number;
  readonly event: string;
  readonly copy: string;
  /** How the copy was brought up to date: `walk` or `delta`. */
  readonly by: string;
  readonly read: number;
  readonly removed: number;
  readonly said: string;
  /** Number of records that the service shows. */
  readonly records: number;
  readonly differing: number;
};

/** The parts of a month that the events of a day act on. */
type Stage = {
  readonly service: MonthService;
  readonly listings: ChangingListings;
  readonly changes: number;
  readonly random: Random;
  readonly copies: readonly FollowedCopy[];
  /** Entitlement of the first day. */
  readonly first: Entitlement;
};

type DayEvent = { readonly name: string; readonly happen: (stage: Stage) => Promise<unknown> };

const commit = async ({ listings, changes }: Stage) => listings.change(changes);

const prune: DayEvent = {
  name: "prune",
  happen: async (stage) => {
    await commit(stage);
    await stage.service.withListings((store) => store.prune(Date.now() + 60_000));
  },
};

const granting = (name: string, change: (first: Entitlement) => Partial<Entitlement>): DayEvent => ({
  name,
  happen: async ({ service, first }) => {
    await entitle(service, "national", (before) => ({ ...before, ...change(first) }));
    await setTimeout(takesEffectWithin + 500);
  },
});

const shownFields = ["ListingKey", "ModificationTimestamp", "ListPrice", "City", "StateOrProvince"];

/** A follower that runs while commits are made, and is killed at a random moment. */
const killed: DayEvent = {
  name: "follower killed",
  happen: async (stage) => {
    const { random, copies } = stage;
    await random.pick(copies).killedAfter(random.whole(200, 2500), async () => {
      for (let commits = 0; commits < 5; commits++) await commit(stage);
    });
  },
};

const failover: DayEvent = { name: "failover", happen: async ({ service }) => service.failOver?.() };

/** What happens beside commits, in this order, spread over the days of a month. All other days have commits alone, or a killed follower. */
const events: readonly DayEvent[] = [
  prune,
  granting("fewer regions", () => ({ regions: [{ kind: "state", value: "TX" }] })),
  granting("all regions", ({ regions }) => ({ regions })),
  granting("fields hidden", ({ datasets }) => ({
    datasets: datasets.map((dataset) => ({
      ...dataset,
      resources: { ...dataset.resources, Property: { fields: shownFields } },
    })),
  })),
  granting("fields shown", ({ datasets }) => ({ datasets })),
  {
    name: "field added",
    happen: async ({ service }) => {
      await service.cadastre("field", "add", "lonestar", "LSM_DockLength", "--type", "integer");
      await setTimeout(takesEffectWithin + 500);
    },
  },
  { name: "backup", happen: ({ service }) => service.backUp() },
  {
    name: "restore",
    happen: async (stage) => {
      await stage.service.restore();
      // They have the numbers of the lost ones.
      for (let commits = 0; commits < 3; commits++) await commit(stage);
    },
  },
  { name: "service killed", happen: ({ service }) => service.restart("SIGKILL") },
  {
    name: "prune, follower killed in the walk",
    happen: async (stage) => {
      await prune.happen(stage);
      for (const copy of stage.copies)
        await copy.killedAfter(stage.random.whole(600, 1500), () => commit(stage));
    },
  },
  failover,
];

const monthLength = 30;

function eventOf(
  day: number,
  { days }: Month,
  { failOver }: Pick<MonthService, "failOver">,
): DayEvent | undefined {
  const length = Math.min(days, monthLength);
  const dayOfMonth = ((day - 1) % length) + 1;
  // The last day has none, so that something follows each.
  const event = events.find((_, k) => Math.ceil(((k + 1) * (length - 1)) / events.length) === dayOfMonth);
  // A standby takes over once.
  if (event === failover && (failOver === undefined || day > length)) return undefined;
  return event ?? (day % 4 === 3 ? killed : undefined);
}

/**
 * Keeps two copies of a service through simulated days of commits, prunes, changes of the entitlement and the schema, a restore, a failover
 * and killed followers. At the end of each day the follower runs once, and each copy is compared with a walk under the same key.
 */
export async function* simulateMonth(month: Month): AsyncGenerator<DayReport> {
  const { database, days, changes, seed } = month;
  const service = await startMonthService(database, 40);
  try {
    const { withListings } = service;
    await withListings((store) => store.commit([...recordsOf("listings", month.listings)]));
    let first: Entitlement | undefined;
    await entitle(service, "national", (before) => {
      first = before;
      return before;
    });
    await setTimeout(takesEffectWithin + 500);
    if (first === undefined) throw new Error("the customer has no entitlement");
    const listings = changingListings(
      month.listings,
      { commit: (all) => withListings((store) => store.commit(all)) },
      seed,
    );
    const copies = [
      followedCopy(service, "all_", {}),
      followedCopy(service, "some_", { filter: "ListPrice gt 400000", select: "ListPrice,City" }),
    ];
    const stage: Stage = { service, listings, changes, random: randomFrom(seed), copies, first };
    for (let day = 1; day <= days; day++) {
      const event = eventOf(day, month, service);
      await event?.happen(stage);
      await commit(stage);
      for (const copy of copies) {
        const { by, read, removed, said } = await copy.run();
        const { records, differing } = await copy.compare();
        yield {
          day,
          event: event?.name ?? "commits",
          copy: copy.name,
          by,
          read,
          removed,
          said,
          records,
          differing,
        };
      }
    }
  } finally {
    await service.stop();
  }
}
