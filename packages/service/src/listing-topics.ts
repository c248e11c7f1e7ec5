/** Fields of listings that a licence treats together. */
export type ListingTopic = {
  /** Why a licence treats them apart from the other fields. */
  readonly reason: string;
  readonly fields: readonly string[];
};

const sides = ["List", "CoList", "Buyer", "CoBuyer"];
const buyers = ["Buyer", "CoBuyer"];
const named = (roles: readonly string[], names: readonly string[]) =>
  roles.flatMap((role) => names.map((name) => `${role}${name}`));

/** Fields of Property beyond those that may be displayed to the public, by topic. Names are of the RESO Data Dictionary 2.0. */
export const listingTopics = {
  private_remarks: {
    reason: "remarks for agents, which may name the seller's terms and absences",
    fields: ["PrivateRemarks", "PrivateOfficeRemarks", "SyndicationRemarks", "SyndicateTo"],
  },
  showing: {
    reason: "when a home is empty, and how to get in",
    fields: [
      "AccessCode",
      "LockBoxLocation",
      "LockBoxSerialNumber",
      "LockBoxType",
      "OccupantName",
      "OccupantPhone",
      "OccupantType",
      "ShowingAdvanceNotice",
      "ShowingAttendedYN",
      "ShowingConsiderations",
      "ShowingContactName",
      "ShowingContactPhone",
      "ShowingContactPhoneExt",
      "ShowingContactType",
      "ShowingDays",
      "ShowingEndTime",
      "ShowingInstructions",
      "ShowingRequirements",
      "ShowingServiceName",
      "ShowingStartTime",
      "StartShowingDate",
    ],
  },
  owner: {
    reason: "who the seller is, and the seller's finances",
    fields: ["CurrentFinancing", "OwnerName", "OwnerPhone", "YearsCurrentOwner"],
  },
  compensation: {
    reason: "what brokers pay each other, which may not be displayed since 2024",
    fields: [
      "BuyerBrokerageCompensation",
      "BuyerBrokerageCompensationType",
      "CompensationComments",
      "DualOrVariableRateCommissionYN",
      "LeaseRenewalCompensation",
      "SubAgencyCompensation",
      "SubAgencyCompensationType",
      "TransactionBrokerCompensation",
      "TransactionBrokerCompensationType",
    ],
  },
  listing_agreement: {
    reason: "terms between the seller and the broker",
    fields: ["CancellationDate", "ExpirationDate", "ListingAgreement", "ListingService", "WithdrawnDate"],
  },
  agent_contacts: {
    reason:
      "private phones and addresses of agents; `AttributionContact` is the contact that they chose for display",
    fields: named(sides, [
      "AgentDirectPhone",
      "AgentEmail",
      "AgentFax",
      "AgentHomePhone",
      "AgentMobilePhone",
      "AgentPager",
      "AgentPreferredPhone",
      "AgentPreferredPhoneExt",
      "AgentTollFreePhone",
      "AgentVoiceMail",
      "AgentVoiceMailExt",
    ]),
  },
  sold: {
    reason:
      "terms of the sale and the buyer's side, which is confidential in states without disclosure of prices",
    fields: [
      "BuyerFinancing",
      "BuyerTeamKey",
      "BuyerTeamName",
      "CloseDate",
      "ClosePrice",
      "CompSaleYN",
      "Concessions",
      "ConcessionsAmount",
      "ConcessionsComments",
      "Contingency",
      "ContingentDate",
      "PendingTimestamp",
      "PurchaseContractDate",
      ...named(buyers, [
        "AgentAOR",
        "AgentDesignation",
        "AgentFirstName",
        "AgentFullName",
        "AgentKey",
        "AgentLastName",
        "AgentMiddleName",
        "AgentMlsId",
        "AgentNamePrefix",
        "AgentNameSuffix",
        "AgentNationalAssociationId",
        "AgentOfficePhone",
        "AgentOfficePhoneExt",
        "AgentStateLicense",
        "AgentURL",
        "OfficeAOR",
        "OfficeEmail",
        "OfficeFax",
        "OfficeKey",
        "OfficeMlsId",
        "OfficeName",
        "OfficeNationalAssociationId",
        "OfficePhone",
        "OfficePhoneExt",
        "OfficeURL",
      ]),
    ],
  },
  history: {
    reason: "earlier prices, and how long a home has been on the market",
    fields: [
      "BackOnMarketDate",
      "ContractStatusChangeDate",
      "CumulativeDaysOnMarket",
      "DaysInMls",
      "DaysOnMarket",
      "DaysOnSite",
      "ListPriceLow",
      "MajorChangeTimestamp",
      "MajorChangeType",
      "OffMarketDate",
      "OffMarketTimestamp",
      "OriginalListPrice",
      "PreviousListPrice",
      "PriceChangeTimestamp",
      "SimpleDaysOnMarket",
      "StatusChangeTimestamp",
    ],
  },
} as const satisfies Record<string, ListingTopic>;

export type ListingTopicName = keyof typeof listingTopics;
