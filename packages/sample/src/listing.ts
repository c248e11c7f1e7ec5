import { changeDays, msPerDay, msPerHour, referenceTime } from "./calendar.ts";
import type { Campaign } from "./campaign.ts";
import type { ListingPlan } from "./listing-plan.ts";
import { blockSize } from "./listing-plan.ts";
import { memberOf, membersPerOffice, type SampleMember } from "./member.ts";
import { officeNumberIn } from "./office.ts";
import type { Property } from "./property.ts";
import { combine, Random } from "./random.ts";
import { bulkUpdateAfter, type System, systemOf } from "./systems.ts";

/** A generated listing, from which its record is written. Times are in milliseconds since 1970. */
export type Listing = {
  readonly index: number;
  readonly seed: number;
  readonly system: System;
  /** Unique over all systems. */
  readonly key: string;
  /** Unique within its system only. */
  readonly id: string;
  readonly property: Property;
  readonly campaign: Campaign;
  readonly enteredAt: number;
  readonly photosChangedAt: number;
  readonly modifiedAt: number;
  readonly listAgent: SampleMember;
  readonly coListAgent: SampleMember | undefined;
  readonly buyerAgent: SampleMember | undefined;
  readonly coBuyerAgent: SampleMember | undefined;
  readonly photos: number;
  readonly documents: number;
  readonly tours: number;
  readonly openHouses: number;
};

/** Number of listings of the whole market after which each system gains offices and members. */
export const cohortSize = 2000;

const random = new Random();

/** Draws a member who works in the property's metro. Half of the draws are from the latest cohort. */
function memberNear(system: System, property: Property, cohort: number): SampleMember {
  const of = random.chance(0.5) ? cohort : random.int(0, cohort);
  const office = officeNumberIn(system, of, property.metro, random);
  return memberOf(system, office * membersPerOffice + random.int(0, membersPerOffice - 1));
}

function photoCount({ kind }: Property, { status, closeDay }: Campaign): number {
  // Of most sold listings only the first picture is kept.
  if (closeDay !== undefined && random.chance(0.6)) return 1;
  if (status === "Coming Soon" && random.chance(0.4)) return 0;
  if (kind === "land" || kind === "business") return random.int(0, 5);
  return 2 + Math.floor(16 * random.unit() * random.unit());
}

function openHouseCount({ status, lease, daysOnMarket }: Campaign): number {
  if (lease || daysOnMarket < 7) return 0;
  if (status === "Active") return random.chance(0.34) ? random.int(1, 3) : 0;
  if (status === "Pending" || status === "Active Under Contract")
    return random.chance(0.3) ? random.int(1, 2) : 0;
  return random.chance(0.08) ? 1 : 0;
}

/** Draws the time of the last change: of the listing itself, or of a later bulk update of its system. */
function modificationAfter(latest: number, system: System): number {
  const old = latest < referenceTime - changeDays * msPerDay;
  if (old || random.chance(0.3)) {
    const bulk = bulkUpdateAfter(system, latest, random);
    if (bulk !== undefined) return bulk;
  }
  return Math.min(referenceTime - 1, latest + Math.floor(random.unit() ** 3 * 20 * msPerDay));
}

/** Generates listing `index` of the market with `seed`. `plan` is its entry in its block. */
export function listingOf(seed: number, index: number, plan: ListingPlan): Listing {
  const { property, campaign, ordinalInBlock } = plan;
  const system = systemOf(plan.system);
  const own = combine(seed ^ 0x51, index);
  random.seed(own);
  const cohort = Math.floor(index / cohortSize);
  const { enteredAt } = campaign;
  const photosChangedAt = Math.min(enteredAt + random.int(0, 40) * msPerHour, referenceTime - msPerHour);
  const latest = Math.max(campaign.statusChangedAt, campaign.priceChangedAt ?? 0, photosChangedAt);
  const listAgent = memberNear(system, property, cohort);
  const sold = campaign.closeDay !== undefined;
  const contracted = campaign.contractDay !== undefined;
  return {
    index,
    seed: own,
    system,
    key: `${system.prefix}${10_000_000 + index}`,
    id: String(1_000_000 + Math.floor(index / blockSize) * blockSize + ordinalInBlock),
    property,
    campaign,
    enteredAt,
    photosChangedAt,
    modifiedAt: modificationAfter(latest, system),
    listAgent,
    coListAgent: random.chance(0.16) ? memberNear(system, property, cohort) : undefined,
    buyerAgent: sold || (contracted && random.chance(0.5)) ? memberNear(system, property, cohort) : undefined,
    coBuyerAgent: sold && random.chance(0.07) ? memberNear(system, property, cohort) : undefined,
    photos: photoCount(property, campaign),
    documents: random.chance(0.25) ? random.int(1, 2) : 0,
    tours: random.chance(0.12) ? 1 : 0,
    openHouses: openHouseCount(campaign),
  };
}
