import { msPerDay, msPerHour, referenceTime } from "./calendar.ts";
import { type Campaign, roundPrice, type Status } from "./campaign.ts";
import type { Listing } from "./listing.ts";
import { combine } from "./random.ts";

/** Next status of a listing in a successful campaign. */
const next: Partial<Record<Status, Status>> = {
  "Coming Soon": "Active",
  Active: "Pending",
  "Active Under Contract": "Pending",
  Pending: "Closed",
};

const open: ReadonlySet<Status> = new Set(["Active", "Active Under Contract", "Coming Soon"]);

function moved(campaign: Campaign, status: Status, at: number): Campaign {
  const dayNumber = Math.floor(at / msPerDay);
  const base = { ...campaign, status, statusChangedAt: at };
  if (status === "Pending")
    return { ...base, contractDay: dayNumber, offMarketDay: dayNumber, pendingAt: at };
  if (status === "Closed") return { ...base, closeDay: dayNumber, closePrice: campaign.price };
  return { ...base, onMarketDay: Math.min(campaign.onMarketDay, dayNumber) };
}

function repriced(campaign: Campaign, part: number, at: number): Campaign {
  const price = roundPrice(campaign.price * part);
  if (price === campaign.price) return campaign;
  return { ...campaign, previousPrice: campaign.price, price, priceChangedAt: at };
}

/** Returns the campaign after a change. One change in five only touches the record. */
function changedCampaign(campaign: Campaign, draw: number, at: number): Campaign {
  const status = next[campaign.status];
  if (draw % 5 < 2 && open.has(campaign.status)) return repriced(campaign, draw % 2 === 0 ? 0.97 : 0.94, at);
  return draw % 5 < 4 && status !== undefined ? moved(campaign, status, at) : campaign;
}

/** Returns the listing after `step` changes, which follow {@link referenceTime} an hour apart; undefined once it is deleted. */
export function changed(listing: Listing, step: number): Listing | undefined {
  let { campaign } = listing;
  let { modifiedAt } = listing;
  for (let k = 1; k <= step; k++) {
    const draw = combine(listing.seed ^ 0xc4, k);
    if (draw % 13 === 0) return undefined;
    modifiedAt = referenceTime + k * msPerHour;
    campaign = changedCampaign(campaign, draw >>> 4, modifiedAt);
  }
  return { ...listing, campaign, modifiedAt };
}
