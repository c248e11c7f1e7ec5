import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Domain, domainNames } from "../../src/index.ts";
import { grantsOf, historyOf } from "../support/histories.ts";
import { day, hour, plain, Subscribed } from "../support/subscribed.ts";

/** `CASES=100` for so many histories of each domain, `SEED=1` for the same ones again. */
const { CASES, SEED } = process.env;

/** Histories of each domain where it must be quick. */
const histories: Readonly<Record<Domain, number>> = {
  listing: 3,
  property: 1,
  public_record: 1,
  member: 1,
  office: 1,
  open_house: 1,
  lookup: 1,
  market_report: 1,
};

test.each(domainNames)(
  "whatever happens to %s, a seed and its deltas make what a fresh seed is, by an unbroken chain",
  { timeout: 600_000 },
  (domain) => {
    const [whole] = grantsOf(domain);
    return fc.assert(
      fc.asyncProperty(historyOf(domain), async ({ behavior, first, actions }) => {
        const folder = mkdtempSync(join(tmpdir(), "cadastre-history-"));
        const service = await Subscribed.open(folder, whole, { domain });
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
          await service.grant(whole);
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
      { numRuns: Number(CASES ?? histories[domain]), ...(SEED === undefined ? {} : { seed: Number(SEED) }) },
    );
  },
);
