import { type Campaign, drawCampaign, today } from "./campaign.ts";
import type { SampleSystemId } from "./catalog/index.ts";
import { type Property, propertyOf } from "./property.ts";
import { combine, Random } from "./random.ts";

/** A listing to be generated: a property, a campaign, and the system that lists it. */
export type ListingPlan = {
  readonly property: Property;
  readonly campaign: Campaign;
  readonly system: SampleSystemId;
  /** Index among the listings of the same system in the block. */
  readonly ordinalInBlock: number;
};

/** Number of consecutive listings that are planned together, so that some of them share a property. */
export const blockSize = 8;

/** A month's rent as a fraction of the value. */
const rentPart = 0.0058;

const leasable: ReadonlySet<Property["kind"]> = new Set(["house", "townhouse", "condominium", "commercial"]);

const random = new Random();

/** Draws all listings of a property: the present campaign, its second listing, a lease, an earlier sale. */
function listingsOf(property: Property): Omit<ListingPlan, "ordinalInBlock">[] {
  random.seed(combine(property.seed, 1));
  const { metro, value, kind } = property;
  const rent = value * rentPart;
  const lets = leasable.has(kind);
  const main = drawCampaign(
    lets && random.chance(0.16) ? { value: rent, lease: true } : { value, lease: false },
    random,
  );
  const first = random.weighted(metro.systems).id;
  const second = metro.systems.find(({ id }) => id !== first)?.id;
  const listings = [{ property, campaign: main, system: first }];
  if (second !== undefined && random.chance(0.55))
    listings.push({ property, campaign: main, system: second });
  if (lets && !main.lease && random.chance(0.22)) {
    const campaign = drawCampaign({ value: rent, lease: true }, random);
    listings.push({ property, campaign, system: random.chance(0.6) ? first : (second ?? first) });
  }
  if (random.chance(0.34)) {
    const campaign = drawCampaign(
      { value, lease: false, closedBefore: Math.min(today, main.startDay) },
      random,
    );
    listings.push({ property, campaign, system: random.chance(0.7) ? first : (second ?? first) });
  }
  return listings;
}

/** Plans a block of listings from the market's seed and the block's number. */
export function planBlock(seed: number, block: number): readonly ListingPlan[] {
  const plans: ListingPlan[] = [];
  const used = new Map<SampleSystemId, number>();
  for (let k = 0; plans.length < blockSize; k++) {
    const property = propertyOf(combine(combine(seed, block), k));
    for (const listing of listingsOf(property)) {
      if (plans.length === blockSize) break;
      const ordinalInBlock = used.get(listing.system) ?? 0;
      used.set(listing.system, ordinalInBlock + 1);
      plans.push({ ...listing, ordinalInBlock });
    }
  }
  return plans;
}
