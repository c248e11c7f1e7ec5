import { dateText, msPerDay, msPerHour, referenceTime, timestampText } from "./calendar.ts";
import { today } from "./campaign.ts";
import type { Fills } from "./fill.ts";
import type { Listing } from "./listing.ts";
import { combine } from "./random.ts";
import type { SampleRecord } from "./record.ts";
import type { System } from "./systems.ts";
import { writerOf } from "./writers.ts";

/** An open house of a listing. */
type OpenHouse = {
  readonly system: System;
  readonly seed: number;
  readonly listing: Listing;
  readonly order: number;
  readonly day: number;
  readonly startsAt: number;
  readonly endsAt: number;
  readonly enteredAt: number;
  readonly modifiedAt: number;
};

const refreshments = ["Coffee", "Lemonade & kolaches", "Crêpes", "Tacos", "None"] as const;

const fills: Fills<OpenHouse> = {
  OpenHouseKey: ({ listing, order }) => `${listing.key}-OH${order + 1}`,
  OpenHouseId: ({ seed }) => String(100_000 + (seed % 900_000)),
  ListingKey: ({ listing }) => listing.key,
  ListingId: ({ listing }) => listing.id,
  OriginatingSystemName: ({ system }) => system.name,
  OriginatingSystemID: ({ system }) => system.id,
  OriginatingSystemKey: ({ listing, order }) => `${listing.index}-${order + 1}`,
  SourceSystemName: ({ system }) => system.name,
  SourceSystemID: ({ system }) => system.id,
  OpenHouseDate: (openHouse) => dateText(openHouse.day),
  OpenHouseStartTime: ({ startsAt }) => timestampText(startsAt),
  OpenHouseEndTime: ({ endsAt }) => timestampText(endsAt),
  OpenHouseStatus: ({ endsAt, seed }) =>
    seed % 17 === 0 ? "Canceled" : endsAt <= referenceTime ? "Ended" : "Active",
  OpenHouseType: ({ seed }) => (seed % 6 === 0 ? "Broker" : "Public"),
  OpenHouseAttendedBy: () => "Agent",
  Refreshments: ({ seed }) => refreshments[seed % refreshments.length],
  ShowingAgentKey: ({ listing }) => listing.listAgent.key,
  ShowingAgentMlsID: ({ listing }) => listing.listAgent.mlsId,
  ShowingAgentFirstName: ({ listing }) => listing.listAgent.firstName,
  ShowingAgentLastName: ({ listing }) => listing.listAgent.lastName,
  LivestreamOpenHouseURL: ({ listing }) => `https://media.example.com/live/${listing.key}`,
  OriginalEntryTimestamp: ({ enteredAt }) => timestampText(enteredAt),
  ModificationTimestamp: ({ modifiedAt }) => timestampText(modifiedAt),
};

const write = writerOf("OpenHouse", fills);

/** Returns the day of open house `order` of `count`: while the listing is on the market, or soon if it still is. */
function dayOf({ campaign }: Listing, order: number, count: number, seed: number): number {
  const { onMarketDay, offMarketDay, status } = campaign;
  if (status === "Active" && order === count - 1) return today + (seed % 14);
  const last = Math.max(onMarketDay, (offMarketDay ?? today) - 1);
  return onMarketDay + Math.floor(((last - onMarketDay) * (order + 1)) / (count + 1));
}

/** Generates the OpenHouse records of a listing, by day. */
export function openHouseRecords(listing: Listing): readonly SampleRecord[] {
  const { openHouses, system, campaign } = listing;
  const records: SampleRecord[] = [];
  for (let order = 0; order < openHouses; order++) {
    const seed = combine(listing.seed ^ 0x0b, order);
    const dayNumber = dayOf(listing, order, openHouses, seed);
    const startsAt = dayNumber * msPerDay + (15 + (seed % 5)) * msPerHour;
    const endsAt = startsAt + (2 + (seed % 2)) * msPerHour;
    const enteredAt = Math.min(campaign.enteredAt + (seed % 72) * msPerHour, referenceTime - msPerHour);
    const modifiedAt = Math.max(enteredAt, Math.min(endsAt, referenceTime - 1 - (seed % 90) * 1000));
    records.push(
      write({ system, seed, listing, order, day: dayNumber, startsAt, endsAt, enteredAt, modifiedAt }),
    );
  }
  return records;
}
