import type { Entitlement, ResourceGrant } from "@cadastre/entitlement";
import { domainNames } from "@cadastre/manifest";
import { type ListingTopicName, listingTopics } from "../../listing-topics.ts";
import type { GrantCatalog } from "./grant-catalog.ts";

/** Kind of licence, as a start for a customer's entitlement. */
export type EntitlementTemplate = {
  /** Use of the data by the customer, as one sentence. */
  readonly purpose: string;
  /** Duties of the licensee that an entitlement cannot enforce, as sentences for the operator. */
  readonly obligations: readonly string[];
  readonly grants: Pick<Entitlement, "products" | "channels" | "capabilities" | "limits">;
  /** Topics of listings that are left out; null if the grant is `*`, which has local fields too. */
  readonly leavesOut: readonly ListingTopicName[] | null;
  readonly resources: (fields: TemplateFields) => Readonly<Record<string, ResourceGrant>>;
};

/** Lists of fields that a template grants. */
type TemplateFields = {
  /** Fields of listings without the topics that the template leaves out. */
  readonly listing: readonly string[];
  /** Returns the fields of a resource without those named. */
  readonly without: (resource: string, names: readonly string[]) => readonly string[];
  /** Returns the names that the catalog's resource has. */
  readonly existing: (resource: string, names: readonly string[]) => readonly string[];
};

const never: readonly ListingTopicName[] = [
  "private_remarks",
  "showing",
  "owner",
  "compensation",
  "listing_agreement",
  "agent_contacts",
];

/** Fields by which the public finds an agent: without private contacts, association data, and accounts. */
const publicMember = [
  "MemberAOR",
  "MemberDesignation",
  "MemberFirstName",
  "MemberFullName",
  "MemberKey",
  "MemberLanguages",
  "MemberLastName",
  "MemberMlsId",
  "MemberNickname",
  "MemberStateLicense",
  "MemberStatus",
  "MemberType",
  "OfficeKey",
  "OfficeMlsId",
  "OfficeName",
];

/** Fields by which the public finds an office, with its business address and phone. */
const publicOffice = [
  "FranchiseAffiliation",
  "IDXOfficeParticipationYN",
  "MainOfficeKey",
  "MainOfficeMlsId",
  "OfficeAddress1",
  "OfficeAddress2",
  "OfficeAOR",
  "OfficeCity",
  "OfficeCorporateLicense",
  "OfficeKey",
  "OfficeMlsId",
  "OfficeName",
  "OfficePhone",
  "OfficePhoneExt",
  "OfficePostalCode",
  "OfficeStateOrProvince",
  "OfficeStatus",
  "OfficeType",
];

/** Fields of Media that tell which agent has changed it. */
const mediaEditors = ["ChangedByMemberID", "ChangedByMemberKey"];

const everyField = { fields: "*" } as const;

const publicDisplay: EntitlementTemplate["resources"] = ({ listing, without, existing }) => ({
  Property: { fields: listing },
  Media: { fields: without("Media", mediaEditors) },
  OpenHouse: { fields: without("OpenHouse", ["OpenHouseAttendedBy"]) },
  Member: { fields: existing("Member", publicMember) },
  Office: { fields: existing("Office", publicOffice) },
  Lookup: everyField,
});

const displayRules = [
  "An entitlement does not choose listings by status. Display only those whose `StandardStatus` the licence allows.",
  "Obey `InternetEntireListingDisplayYN` and `InternetAddressDisplayYN` of each listing, and name `ListOfficeName` with `AttributionContact`.",
];

/** Templates by name. Source: NAR model rules for IDX and VOW, Handbook on Multiple Listing Policy. */
export const entitlementTemplates = {
  idx: {
    purpose: "Public display of listings on brokers' and agents' websites.",
    obligations: displayRules,
    grants: {
      products: ["listing"],
      channels: { api: true, odata: true, file_delivery: false },
      limits: { requests_per_second: 10 },
    },
    leavesOut: [...never, "sold", "history"],
    resources: publicDisplay,
  },
  vow: {
    purpose:
      "Websites on which a broker's registered clients see more: sold prices, and the history of listings.",
    obligations: [
      ...displayRules,
      "Show it to registered clients alone, whose e-mail addresses were verified.",
    ],
    grants: {
      products: ["listing", "market_report"],
      channels: { api: true, odata: true, file_delivery: false },
      limits: { requests_per_second: 10 },
    },
    leavesOut: never,
    resources: publicDisplay,
  },
  backoffice: {
    purpose:
      "Software of the MLS or a broker for its own listings: every field, private media and contacts too.",
    obligations: ["Name only systems whose data is the customer's own."],
    grants: {
      products: [...domainNames],
      channels: { api: true, odata: true, file_delivery: true },
      capabilities: ["file_export_push"],
    },
    leavesOut: null,
    resources: ({ existing }) => ({
      Property: everyField,
      Media: { ...everyField, private: true },
      MediaAsset: { ...everyField, private: true },
      OpenHouse: everyField,
      Member: {
        ...everyField,
        contact: true,
        // Nobody needs another's password, whatever the source sends.
        masks: Object.fromEntries(
          existing("Member", ["MemberPassword"]).map((name) => [name, "null"] as const),
        ),
      },
      Office: { ...everyField, contact: true },
      PublicRecord: everyField,
      Lookup: everyField,
    }),
  },
  bulk: {
    purpose: "Files of listings with their media for analysis, valuation and search, which nobody displays.",
    obligations: ["The customer keeps a copy: the licence says when it has to be deleted."],
    grants: {
      products: ["listing"],
      channels: { api: false, odata: false, file_delivery: true },
      limits: { open_exports: 2 },
    },
    leavesOut: never,
    resources: ({ listing, without }) => ({
      Property: { fields: listing },
      Media: { fields: without("Media", mediaEditors) },
      MediaAsset: everyField,
    }),
  },
} as const satisfies Record<string, EntitlementTemplate>;

export type TemplateName = keyof typeof entitlementTemplates;

/** Returns what a template grants of each resource. Lists name fields that all systems have; the name of a local field has to be added. */
export function templateResources(
  name: TemplateName,
  { sharedFields }: GrantCatalog,
): Readonly<Record<string, ResourceGrant>> {
  const template: EntitlementTemplate = entitlementTemplates[name];
  const topics = template.leavesOut ?? [];
  const without = (resource: string, names: Iterable<string>) => {
    const others = new Set(names);
    return sharedFields(resource).filter((field) => !others.has(field));
  };
  return template.resources({
    listing: without(
      "Property",
      topics.flatMap((topic) => listingTopics[topic].fields),
    ),
    without,
    existing: (resource, names) => {
      const known = new Set(sharedFields(resource));
      return names.filter((one) => known.has(one));
    },
  });
}
