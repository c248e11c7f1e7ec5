import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { OutputProfile } from "@cadastre/delivery";
import { profileOf } from "@cadastre/delivery/testing";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { askedDomains, type Delivered, type DeliverySide, openDeliverySide } from "./delivery-side.ts";
import { engines } from "./engines.ts";
import { domainFilters } from "./filters.ts";
import { grants } from "./grants.ts";
import { after, changes, varied, worlds } from "./worlds.ts";

/** `CASES=5000` runs more cases; a delivery takes as long as ten of them, so it runs a tenth. `SEED=1` repeats the same ones. */
const { CASES, SEED } = process.env;
const numRuns = Math.ceil(Number(CASES ?? 13) / 10);
const parameters = {
  endOnFailure: true,
  ...(SEED === undefined ? { numRuns } : { numRuns, seed: Number(SEED) }),
};

const fieldsOf: Readonly<Record<string, readonly OutputProfile["fields"][]>> = {
  listing: [
    "*",
    { listing: ["City", "ListPrice", "PostalCode"], listing_media: "*" },
    { listing: ["City"], media_assets: ["Url"] },
  ],
  property: ["*"],
  market_report: ["*", { market_report: ["new_listings", "median_list_price"] }],
  public_record: ["*", { public_record: ["City", "PostalCode"] }],
  member: ["*", { member: ["MemberFullName"] }],
  office: ["*", { office: ["OfficeName"] }],
  open_house: ["*", { open_house: ["ListingKey"] }],
  lookup: ["*", { lookup: ["LookupName"] }],
};

/** Profiles whose parts have a record or two, or all of them. */
const profiles: fc.Arbitrary<OutputProfile> = fc.constantFrom(...askedDomains).chain((domain) =>
  fc
    .record({
      format: fc.constantFrom("jsonl", "csv"),
      fields: fc.constantFrom(...(fieldsOf[domain] ?? [])),
      partBytes: fc.constantFrom(300, 100_000),
      removalReason: fc.boolean(),
    })
    .map((choice) => profileOf({ ...choice, id: "random", version: 1, domain, compression: "none" })),
);

/** Fields of the main dataset of each domain that are asked for, hidden ones and some that there are not. */
const selectable: Readonly<Record<string, readonly string[]>> = {
  listing: ["ListingKey", "City", "ListPrice", "PostalCode", "Nope"],
  property: ["id", "city", "list_price", "listing_keys"],
  market_report: ["new_listings", "median_list_price"],
  public_record: ["City", "PostalCode"],
  member: ["MemberFullName", "MemberKey"],
  office: ["OfficeName"],
  open_house: ["ListingKey"],
  lookup: ["LookupName"],
};

/** Two stores that a customer cannot tell apart, before and after a change. */
const cases = fc.record({
  grants,
  profile: profiles,
  /** A filter for each domain, if it takes one; undefined for all records. */
  filters: fc.option(fc.record(domainFilters), { nil: undefined }),
  /** Picks the fields to ask for; undefined for all of the profile. */
  picks: fc.option(fc.array(fc.nat(), { minLength: 1, maxLength: 3 }), { nil: undefined }),
  /** True for a single export, false for a subscription. */
  once: fc.boolean(),
  world: worlds,
  donor: worlds,
  lead: fc.constantFrom(0, 1, 3),
  change: changes,
  laterDonor: worlds,
});
type Case = typeof cases extends fc.Arbitrary<infer Given> ? Given : never;

let admitted = 0;

/** Checks that both sides delivered the same. Returns true if it was not a refusal. */
function requireSame(what: string, [a, b]: readonly Delivered[]): boolean {
  expect(b, what).toEqual(a);
  return a?.refused === undefined;
}

async function compare(first: DeliverySide, second: DeliverySide, given: Case): Promise<void> {
  const { grants: granted, world, donor, change, laterDonor } = given;
  const sides = [first, second];
  const checkpoint = Math.max(...sides.map((side) => side.checkpoint()));
  await first.advance(checkpoint);
  await second.advance(checkpoint + given.lead);
  await first.fill(world);
  await second.fill(varied(world, donor, granted));
  const nth = ++admitted;
  const { domain } = given.profile;
  const filter = given.filters?.[domain];
  const names = selectable[domain] ?? [];
  const select = given.picks?.map((pick) => names[pick % names.length] ?? "");
  const asked = { ...(filter === undefined ? {} : { filter }), ...(select === undefined ? {} : { select }) };
  const both = await Promise.all(sides.map((side) => side.admit(nth, granted, given.profile, asked)));
  const all = (ask: (customer: (typeof both)[number]) => Promise<Delivered>) => Promise.all(both.map(ask));
  if (given.once) {
    const exports = await all(({ exported }) => exported());
    if (!requireSame("an export", exports)) return;
    await all(async ({ passed }) => {
      await passed();
      return {};
    });
    const later = after(world, change);
    await first.fill(later);
    await second.fill(varied(later, laterDonor, granted));
    for (const state of ["time", "checkpoint"] as const) {
      const earlier = await all(({ exportedAsOf }) => exportedAsOf(state));
      requireSame(`an export as of a ${state}`, earlier);
      // It is what the first export was, whatever has changed since.
      expect(earlier[0]?.parts, `as of a ${state}`).toEqual(exports[0]?.parts);
    }
    return;
  }
  if (!requireSame("a seed", await all(({ subscribed }) => subscribed()))) return;
  try {
    const later = after(world, change);
    await first.fill(later);
    await second.fill(varied(later, laterDonor, granted));
    requireSame("a delta", await all(({ followed }) => followed()));
    // Change only hidden data, on one side only.
    await second.fill(varied(later, donor, granted));
    requireSame("a delta of nothing", await all(({ followed }) => followed()));
  } finally {
    for (const { unsubscribe } of both) await unsubscribe();
  }
}

// Without the memory store, which keeps no versions.
describe.each(Object.entries(engines).filter(([name]) => name !== "memory"))("over %s", (_, start) => {
  test(
    "what is delivered is a function of what is granted alone",
    async () => {
      const folder = mkdtempSync(join(tmpdir(), "cadastre-deliveries-"));
      const engine = await start();
      const stores = [await engine.open("first"), await engine.open("second")] as const;
      const [first, second] = await Promise.all(
        stores.map(async (store, i) => {
          const own = join(folder, String(i));
          mkdirSync(own);
          return openDeliverySide(store, await engine.openRegistry(`side_${i}`), own);
        }),
      );
      if (first === undefined || second === undefined) throw new Error("there are two sides");
      try {
        await fc.assert(
          fc.asyncProperty(cases, (given) => compare(first, second, given)),
          parameters,
        );
      } finally {
        for (const side of [first, second]) await side.close();
        for (const store of stores) await store.close();
        await engine.close();
        rmSync(folder, { recursive: true });
      }
    },
    120_000 + numRuns * 2000,
  );
});
