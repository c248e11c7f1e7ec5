import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { crashPoints } from "../../src/worker/crash-point.ts";
import type { Edit, Granted } from "../support/market.ts";
import { day, hour, plain, Subscribed } from "../support/subscribed.ts";

const values = fc.record({
  StateOrProvince: fc.constantFrom("TX", "OR", "CA"),
  City: fc.constantFrom("Austin", null),
  ListPrice: fc.integer({ min: 0, max: 1 }),
});

const edit: fc.Arbitrary<Edit> = fc.record({
  set: fc.constantFrom("Property", "Media"),
  key: fc.constantFrom("a", "b", "c", "d", "e", "f", "\ue000", "😀", "Z z"),
  values: fc.oneof({ weight: 3, arbitrary: values }, { weight: 1, arbitrary: fc.constant(undefined) }),
});

const grants: readonly Granted[] = [
  { states: ["TX", "OR"], fields: "*" },
  { states: ["TX"], fields: "*" },
  { states: ["TX", "OR"], fields: ["City", "StateOrProvince"] },
  { states: ["TX", "CA"], fields: ["City", "StateOrProvince"] },
  { states: ["CA"], fields: "*", products: ["property"] },
];

const fields = [
  "*",
  { listing: ["City"], listing_media: "*" },
  { listing: ["City", "ListPrice", "StateOrProvince"] },
] as const;

const someEdits = fc.record({ do: fc.constant("edit" as const), edits: fc.array(edit, { maxLength: 15 }) });

const action = fc.oneof(
  { weight: 6, arbitrary: someEdits },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant("wait" as const), hours: fc.integer({ min: 1, max: 60 }) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("build" as const),
      crashes: fc.array(fc.record({ point: fc.constantFrom(...crashPoints), after: fc.nat(3) }), {
        maxLength: 2,
      }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("follow" as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("grant" as const), to: fc.constantFrom(...grants) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("reprofile" as const), to: fc.constantFrom(...fields) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("ask" as const),
      for: fc.constantFrom("pause", "resume", "resume", "reset"),
    }),
  },
);

const history = fc.record({
  behavior: fc.constantFrom("manifest_only", "skip"),
  first: someEdits,
  actions: fc.array(action, { minLength: 5, maxLength: 40 }),
});

test(
  "whatever happens, a seed and its deltas make what a fresh seed is, by an unbroken chain",
  { timeout: 600_000 },
  () =>
    fc.assert(
      fc.asyncProperty(history, async ({ behavior, first, actions }) => {
        const folder = mkdtempSync(join(tmpdir(), "cadastre-history-"));
        const service = await Subscribed.open(folder, grants[0] ?? { states: [], fields: "*" });
        try {
          await service.edit(first.edits);
          const { id } = await service.subscribe({ emptyDeliveryBehavior: behavior });
          const follower = service.follower();
          const follow = async () => {
            for (const delivery of await service.unread(id, follower)) {
              await follower.apply(delivery);
              expect(plain(follower.copy)).toEqual(plain(await service.view(delivery)));
            }
          };
          for (const action of actions) {
            switch (action.do) {
              case "edit":
                await service.edit(action.edits);
                break;
              case "wait":
                service.now += action.hours * hour;
                await service.tick(2);
                break;
              case "build":
                for (const crash of action.crashes) await service.work(crash);
                await service.work();
                break;
              case "follow":
                await follow();
                break;
              case "grant":
                await service.grant(action.to);
                break;
              case "reprofile":
                service.reprofile(action.to);
                break;
              case "ask":
                await service.subscriptions[action.for](service.caller, id);
                break;
            }
          }
          await service.grant(grants[0] ?? { states: [], fields: "*" });
          await service.subscriptions.resume(service.caller, id);
          // What was created before is built or given up, then the rest of the changes is delivered.
          for (let step = 0; step < 3; step++) {
            await service.workAll();
            service.now += day;
            await service.tick(2);
          }
          await service.workAll();
          await follow();
          const other = await service.subscribe({ name: "other" });
          await service.tick(2);
          await service.workAll();
          const fresh = service.follower();
          const [seed, ...none] = await service.unread(other.id, fresh);
          expect(none).toEqual([]);
          if (seed === undefined) throw new Error("there is no seed");
          await fresh.apply(seed);
          expect(plain(follower.copy)).toEqual(plain(fresh.copy));
          expect(follower.last?.manifest.schema).toEqual(fresh.last?.manifest.schema);
        } finally {
          await service.close();
          rmSync(folder, { recursive: true });
        }
      }),
      { numRuns: Number(process.env["CASES"] ?? 12) },
    ),
);
