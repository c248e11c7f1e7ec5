import { msPerDay, referenceTime } from "./calendar.ts";
import type { Random } from "./random.ts";

/** A value of the lookup `StandardStatus`. */
export type Status =
  | "Active"
  | "Active Under Contract"
  | "Canceled"
  | "Closed"
  | "Coming Soon"
  | "Expired"
  | "Hold"
  | "Pending"
  | "Withdrawn";

/** An attempt to sell or let a property. Days are counted from 1970-01-01, times are milliseconds since then. */
export type Campaign = {
  readonly lease: boolean;
  readonly status: Status;
  /** Day of the contract with the owner. */
  readonly startDay: number;
  readonly onMarketDay: number;
  /** Day on which buyer and seller agreed on the contract. */
  readonly contractDay: number | undefined;
  readonly closeDay: number | undefined;
  readonly offMarketDay: number | undefined;
  readonly expirationDay: number;
  readonly enteredAt: number;
  readonly pendingAt: number | undefined;
  readonly statusChangedAt: number;
  readonly originalPrice: number;
  readonly previousPrice: number | undefined;
  readonly price: number;
  readonly priceChangedAt: number | undefined;
  readonly closePrice: number | undefined;
  readonly daysOnMarket: number;
};

/** Day number of {@link referenceTime}. */
export const today = Math.floor(referenceTime / msPerDay);

type StatusFacts = { readonly status: Status; readonly weight: number };

const statuses: readonly StatusFacts[] = [
  { status: "Active", weight: 36 },
  { status: "Closed", weight: 36 },
  { status: "Pending", weight: 7 },
  { status: "Active Under Contract", weight: 5 },
  { status: "Expired", weight: 6 },
  { status: "Withdrawn", weight: 4 },
  { status: "Canceled", weight: 3 },
  { status: "Coming Soon", weight: 2 },
  { status: "Hold", weight: 1 },
];

/** Draws the days on the market until a contract: about a month, rarely half a year. */
const marketing = (random: Random): number => 2 + Math.floor(170 * random.unit() ** 2.4);

/** Returns the step that a price is rounded to. */
const priceStep = (price: number): number => (price < 10_000 ? 25 : price < 200_000 ? 500 : 1000);

/** Rounds a price as owners do, for example to 499,900. */
export const roundPrice = (price: number): number => {
  const step = priceStep(price);
  const rounded = Math.max(step, Math.round(price / step) * step);
  return step === 1000 && rounded % 10_000 === 0 ? rounded - 100 : rounded;
};

/** Draws a time on a working day, with milliseconds. */
const during = (dayNumber: number, random: Random): number =>
  dayNumber * msPerDay + random.int(14 * 3600, 23 * 3600) * 1000 + random.int(0, 999);

/** Final statuses. */
const endedBeforeExpiry: ReadonlySet<Status> = new Set(["Closed", "Canceled", "Withdrawn"]);

/** Returns the significant days of a campaign with this status, calculated backwards from the last one. */
function course(status: Status, last: number, lease: boolean, random: Random) {
  const marketed = lease ? Math.ceil(marketing(random) / 2) : marketing(random);
  const settling = lease ? random.int(1, 21) : random.int(14, 58);
  switch (status) {
    case "Closed":
      return {
        start: last - settling - marketed,
        contract: last - settling,
        close: last,
        off: last - settling,
        changed: last,
      };
    case "Pending":
    case "Active Under Contract":
      return {
        start: last - marketed,
        contract: last,
        off: status === "Pending" ? last : undefined,
        changed: last,
      };
    case "Active":
    case "Coming Soon":
      return { start: last, changed: last };
    case "Expired":
    case "Canceled":
    case "Withdrawn":
    case "Hold":
      return { start: last - 20 - marketed, off: last, changed: last };
  }
}

/** Draws the number of days since the last event of a campaign with this status. */
function lastEvent(status: Status, random: Random): number {
  switch (status) {
    case "Closed":
      return 1 + Math.floor(700 * random.unit() ** 1.3);
    case "Expired":
    case "Canceled":
    case "Withdrawn":
      return 1 + Math.floor(640 * random.unit() ** 1.2);
    case "Pending":
    case "Active Under Contract":
      return 1 + Math.floor(45 * random.unit());
    case "Active":
      return 2 + Math.floor(210 * random.unit() ** 2);
    case "Coming Soon":
      return 1 + Math.floor(12 * random.unit());
    case "Hold":
      return 1 + Math.floor(60 * random.unit());
  }
}

export type CampaignOrder = {
  /** US dollars, for a sale or as a month's rent, at {@link referenceTime}. */
  readonly value: number;
  readonly lease: boolean;
  /** Day before which the campaign must have closed. */
  readonly closedBefore?: number;
};

/** Draws a campaign. Prices of earlier years are lower. */
export function drawCampaign({ value, lease, closedBefore }: CampaignOrder, random: Random): Campaign {
  const status = closedBefore === undefined ? random.weighted(statuses).status : "Closed";
  const last =
    closedBefore === undefined
      ? today - lastEvent(status, random)
      : closedBefore - 90 - Math.floor(1900 * random.unit());
  const { start, contract, close, off, changed } = course(status, last, lease, random);
  const then = value * 0.96 ** ((today - last) / 365);
  const price = roundPrice(then * (1 + 0.04 * random.normal()));
  const comingSoon = status === "Coming Soon";
  const end = contract ?? off ?? today;
  const priceChanged = !comingSoon && end - start > 12 && random.chance(0.45);
  const originalPrice = priceChanged ? roundPrice(price * (1.02 + 0.1 * random.unit())) : price;
  const twice = priceChanged && random.chance(0.3);
  const onMarketDay = comingSoon ? today + random.int(1, 14) : Math.min(end, start + random.int(0, 3));
  const changedAt = during(changed, random);
  const enteredAt = Math.min(during(start, random), changedAt);
  const pendingAt =
    contract === undefined ? undefined : Math.max(enteredAt, Math.min(during(contract, random), changedAt));
  return {
    lease,
    status,
    startDay: start,
    onMarketDay,
    contractDay: contract,
    closeDay: close,
    offMarketDay: off,
    expirationDay:
      status === "Expired"
        ? last
        : Math.max(endedBeforeExpiry.has(status) ? last : today, start) + random.int(20, 240),
    enteredAt,
    pendingAt,
    statusChangedAt:
      status === "Active" || status === "Coming Soon"
        ? enteredAt
        : status === "Closed"
          ? changedAt
          : (pendingAt ?? changedAt),
    originalPrice,
    previousPrice: priceChanged
      ? twice
        ? roundPrice((originalPrice + price) / 2)
        : originalPrice
      : undefined,
    price,
    priceChangedAt: priceChanged
      ? during(start + 4 + Math.floor((end - start - 8) * random.unit()), random)
      : undefined,
    closePrice:
      close === undefined ? undefined : roundPrice(price * (lease ? 1 : 0.985 + 0.022 * random.normal())),
    daysOnMarket: comingSoon ? 0 : Math.max(0, end - onMarketDay),
  };
}
