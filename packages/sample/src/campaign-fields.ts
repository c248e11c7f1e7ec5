import { dateText, msPerDay, timestampText } from "./calendar.ts";
import type { Campaign, Status } from "./campaign.ts";
import { today } from "./campaign.ts";
import type { Fills } from "./fill.ts";
import type { Listing } from "./listing.ts";

const date = (dayNumber: number | undefined): string | undefined =>
  dayNumber === undefined ? undefined : dateText(dayNumber);

const timestamp = (moment: number | undefined): string | undefined =>
  moment === undefined ? undefined : timestampText(moment);

/** Returns the day on which the campaign ended with `status`; undefined if it has another status. */
const offMarketDateIf = (campaign: Campaign, status: Status): string | undefined =>
  campaign.status === status ? date(campaign.offMarketDay) : undefined;

/** Local names of statuses by originating system, where they differ from the standard ones. */
const localStatus: Readonly<Record<string, Partial<Record<Status, string>>>> = {
  lonestar: { "Active Under Contract": "Option Pending", Closed: "Sold" },
  hillcountry: { "Active Under Contract": "Active Option" },
  evergreen: { Pending: "Pending Inspection", Closed: "Sold" },
  cascade: { "Active Under Contract": "Bumpable Buyer" },
  gulfsun: { "Active Under Contract": "Active With Contract", Hold: "Temporarily Off Market" },
};

function majorChange({ campaign }: Listing): string {
  const { status, priceChangedAt, statusChangedAt } = campaign;
  if (priceChangedAt !== undefined && priceChangedAt > statusChangedAt) return "Price Change";
  return status === "Active" ? "New Listing" : status;
}

/** Fields with the prices, statuses and dates of a campaign. */
export const campaignFields: Fills<Listing> = {
  StandardStatus: ({ campaign }) => campaign.status,
  MlsStatus: ({ campaign, system }) => localStatus[system.id]?.[campaign.status] ?? campaign.status,
  ListPrice: ({ campaign }) => campaign.price,
  OriginalListPrice: ({ campaign }) => campaign.originalPrice,
  PreviousListPrice: ({ campaign }) => campaign.previousPrice,
  ListPriceLow: ({ campaign }) => Math.round(campaign.price * 0.97),
  ClosePrice: ({ campaign }) => campaign.closePrice,
  PriceChangeTimestamp: ({ campaign }) => timestamp(campaign.priceChangedAt),
  MajorChangeTimestamp: ({ campaign }) =>
    timestamp(Math.max(campaign.statusChangedAt, campaign.priceChangedAt ?? 0)),
  MajorChangeType: majorChange,
  ListingContractDate: ({ campaign }) => date(campaign.startDay),
  ActivationDate: ({ campaign }) =>
    campaign.status === "Coming Soon" ? date(campaign.onMarketDay) : undefined,
  StartShowingDate: ({ campaign }) => date(campaign.onMarketDay),
  OnMarketDate: ({ campaign }) => date(campaign.onMarketDay),
  OnMarketTimestamp: ({ campaign }) =>
    campaign.status === "Coming Soon"
      ? undefined
      : timestamp(Math.max(campaign.enteredAt, campaign.onMarketDay * msPerDay)),
  OffMarketDate: ({ campaign }) => date(campaign.offMarketDay),
  OffMarketTimestamp: ({ campaign }) =>
    campaign.offMarketDay === undefined
      ? undefined
      : timestamp(campaign.pendingAt ?? campaign.statusChangedAt),
  BackOnMarketDate: () => undefined,
  PurchaseContractDate: ({ campaign }) => date(campaign.contractDay),
  ContingentDate: ({ campaign }) =>
    campaign.status === "Active Under Contract" ? date(campaign.contractDay) : undefined,
  Contingency: ({ campaign }) =>
    campaign.status === "Active Under Contract" ? "Subject to inspection and financing" : undefined,
  PendingTimestamp: ({ campaign }) => timestamp(campaign.pendingAt),
  ContractStatusChangeDate: ({ campaign }) => dateText(Math.floor(campaign.statusChangedAt / msPerDay)),
  CloseDate: ({ campaign }) => date(campaign.closeDay),
  ExpirationDate: ({ campaign }) => date(campaign.expirationDay),
  CancellationDate: ({ campaign }) => offMarketDateIf(campaign, "Canceled"),
  WithdrawnDate: ({ campaign }) => offMarketDateIf(campaign, "Withdrawn"),
  StatusChangeTimestamp: ({ campaign }) => timestampText(campaign.statusChangedAt),
  OriginalEntryTimestamp: ({ enteredAt }) => timestampText(enteredAt),
  ModificationTimestamp: ({ modifiedAt }) => timestampText(modifiedAt),
  PhotosChangeTimestamp: ({ photosChangedAt }) => timestampText(photosChangedAt),
  DocumentsChangeTimestamp: ({ documents, photosChangedAt }) =>
    documents === 0 ? undefined : timestampText(photosChangedAt),
  VideosChangeTimestamp: () => undefined,
  OpenHouseModificationTimestamp: ({ openHouses, modifiedAt }) =>
    openHouses === 0 ? undefined : timestampText(modifiedAt),
  DaysOnMarket: ({ campaign }) => campaign.daysOnMarket,
  SimpleDaysOnMarket: ({ campaign }) => campaign.daysOnMarket,
  CumulativeDaysOnMarket: ({ campaign, seed }) =>
    campaign.daysOnMarket + (seed % 5 === 0 ? 30 + (seed % 90) : 0),
  DaysInMls: ({ campaign }) => (campaign.closeDay ?? today) - campaign.startDay,
  DaysOnSite: ({ campaign }) => Math.max(0, (campaign.offMarketDay ?? today) - campaign.onMarketDay),
  BuyerFinancing: ({ campaign }, random) =>
    campaign.closeDay === undefined ? undefined : [random.pick(["Cash", "Conventional", "FHA", "VA"])],
  Concessions: ({ campaign }, random) =>
    campaign.closeDay === undefined || campaign.lease ? undefined : random.chance(0.3) ? "Yes" : "No",
  ConcessionsAmount: () => undefined,
  ConcessionsComments: () => undefined,
  AvailabilityDate: ({ campaign }) => (campaign.lease ? dateText(campaign.onMarketDay + 14) : undefined),
  LeaseAmount: ({ campaign }) => (campaign.lease ? campaign.price : undefined),
  LeaseAmountFrequency: ({ campaign }) => (campaign.lease ? "Monthly" : undefined),
  LeaseTerm: ({ campaign }, random) =>
    campaign.lease ? random.pickEarly(["12 Months", "24 Months", "6 Months", "Month To Month"]) : undefined,
  ListingAgreement: ({ campaign }) =>
    campaign.lease ? "Exclusive Right To Lease" : "Exclusive Right To Sell",
};
