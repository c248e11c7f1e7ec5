import type { EntityType, StructuralProperty } from "@cadastre/odata";

const hidden = (name: string): StructuralProperty => ({
  name,
  type: "Edm.String",
  collection: false,
  nullable: true,
});

/**
 * UUID, in lower case, of the dataset that a row belongs to; null if all datasets share the row. It is in no
 * entity set, so no query can name it: a store maps it to a column, rows in memory carry it as a member.
 */
export const datasetProperty: StructuralProperty = hidden("DatasetId");

/**
 * Properties of its listing that a Media or OpenHouse row carries, equal to the listing's own values, or null if there is no listing. They
 * are in no entity set, like {@link datasetProperty}.
 */
export const listingProperties = {
  dataset: hidden("ListingDatasetId"),
  state: hidden("ListingStateOrProvince"),
  county: hidden("ListingCountyOrParish"),
  zip: hidden("ListingPostalCode"),
  originating_system: hidden("ListingOriginatingSystemName"),
} as const satisfies Record<string, StructuralProperty>;

/** Permission of its Media row that a MediaAsset row carries. It is in no entity set, like {@link listingProperties}. */
export const mediaPermissionProperty: StructuralProperty = { ...hidden("MediaPermission"), collection: true };

/**
 * Provisional id, `prov:<ULID>`, of the property of a listing that has no Placekey yet. The host computes it from the address and the
 * position. It is in no entity set, like {@link datasetProperty}; see {@link ResourceRule.hostReadable}.
 */
export const provisionalIdProperty: StructuralProperty = {
  ...hidden("ProvisionalId"),
  derivedFrom: [
    "StreetNumber",
    "StreetDirPrefix",
    "StreetName",
    "StreetSuffix",
    "StreetDirSuffix",
    "UnitNumber",
    "City",
    "StateOrProvince",
    "PostalCode",
    "Latitude",
    "Longitude",
  ],
};

/** All properties that a store may keep and that no entity set may have. */
export const hiddenProperties: ReadonlyMap<string, StructuralProperty> = new Map(
  [datasetProperty, ...Object.values(listingProperties), mediaPermissionProperty, provisionalIdProperty].map(
    (property) => [property.name, property],
  ),
);

/** Fields that every dataset grants with the resource, like the key: without them records cannot be told apart. */
const alwaysGranted: readonly string[] = ["ModificationTimestamp", "OriginatingSystemName"];

/** True if a grant of the resource always includes the field. @internal */
export const isAlwaysGranted = (name: string, { key }: EntityType): boolean =>
  key.includes(name) || alwaysGranted.includes(name);

/** Names of the properties that give the region of a row. They are hidden ones, or of the entity set. */
export type RegionProperties = {
  readonly state: string;
  readonly county: string;
  readonly zip: string;
  readonly originating_system: string;
};

/** Condition for a row to be visible, in addition to the grants of its dataset. */
type RowRule =
  /** The row is in a granted region. */
  | { readonly by: "region"; readonly regions: RegionProperties }
  /** The row's listing is visible as a row of `parent`. */
  | {
      readonly by: "parent";
      readonly parent: string;
      /** Property with the parent's dataset. */
      readonly dataset: string;
      /** Properties with the parent's region. */
      readonly regions: RegionProperties;
    }
  /** No further condition. */
  | { readonly by: "dataset" }
  /** The row describes a visible field, by the name of the lookup in `lookupName`. */
  | { readonly by: "lookup"; readonly lookupName: string };

/**
 * Definition of public rows: those whose collection `property`, a hidden one or of the entity set, has only values in `open`. The others
 * are private.
 */
export type Privacy = { readonly property: string; readonly open: readonly string[] };

export type ResourceRule = RowRule & {
  /** Absent if no row is private. */
  readonly privacy?: Privacy;
  /** Fields that a grant of all fields does not include. They need a grant of contact fields, or of the very name. */
  readonly contact?: readonly string[];
  /**
   * Hidden properties that queries of the host may read, though no caller can name them. Each one is null in rows of a dataset that
   * does not show all of its `derivedFrom` unmasked.
   */
  readonly hostReadable?: readonly StructuralProperty[];
};

const byPlace: RowRule = {
  by: "region",
  regions: {
    state: "StateOrProvince",
    county: "CountyOrParish",
    zip: "PostalCode",
    originating_system: "OriginatingSystemName",
  },
};

const ofListing: RowRule = {
  by: "parent",
  parent: "Property",
  dataset: listingProperties.dataset.name,
  regions: {
    state: listingProperties.state.name,
    county: listingProperties.county.name,
    zip: listingProperties.zip.name,
    originating_system: listingProperties.originating_system.name,
  },
};

/**
 * Permissions of public pictures and documents: for everyone, on every website (IDX), or for clients of a broker (VOW). Media for agents,
 * a firm or an office only is private, and so is media with an unknown value. Each value in both spellings.
 * Source: RESO Data Dictionary 2.0, lookup Permission.
 */
const privacyOfMedia: Privacy = { property: "Permission", open: ["Public", "IDX", "Idx", "VOW", "Vow"] };

/** Fields by which to call, write to or visit a person. Source: RESO Data Dictionary 2.0, Member. */
const contactOfMember = [
  "MemberAddress1",
  "MemberAddress2",
  "MemberCarrierRoute",
  "MemberCity",
  "MemberCountry",
  "MemberCountyOrParish",
  "MemberDirectPhone",
  "MemberEmail",
  "MemberFax",
  "MemberHomePhone",
  "MemberMobilePhone",
  "MemberOfficePhone",
  "MemberOfficePhoneExt",
  "MemberOtherPhoneType",
  "MemberPager",
  "MemberPhoneTTYTDD",
  "MemberPostalCode",
  "MemberPostalCodePlus4",
  "MemberPreferredPhone",
  "MemberPreferredPhoneExt",
  "MemberStateOrProvince",
  "MemberTollFreePhone",
  "MemberVoiceMail",
  "MemberVoiceMailExt",
  "MemberVotingPrecinct",
  "SocialMediaType",
];

/** Fields by which to call, write to or visit an office. Source: RESO Data Dictionary 2.0, Office. */
const contactOfOffice = [
  "OfficeAddress1",
  "OfficeAddress2",
  "OfficeCity",
  "OfficeCountry",
  "OfficeCountyOrParish",
  "OfficeEmail",
  "OfficeFax",
  "OfficeMailAddress1",
  "OfficeMailAddress2",
  "OfficeMailCareOf",
  "OfficeMailCity",
  "OfficeMailCountry",
  "OfficeMailCountyOrParish",
  "OfficeMailPostalCode",
  "OfficeMailPostalCodePlus4",
  "OfficeMailStateOrProvince",
  "OfficePhone",
  "OfficePhoneExt",
  "OfficePostalCode",
  "OfficePostalCodePlus4",
  "OfficeStateOrProvince",
  "OtherPhone",
  "SocialMediaType",
];

/** Rules by resource. */
export type ResourceRules = Readonly<Record<string, ResourceRule>>;

/** Returns the rule of a resource; undefined if it has none. @internal */
export const ruleOf = (resource: string, rules: ResourceRules): ResourceRule | undefined =>
  Object.hasOwn(rules, resource) ? rules[resource] : undefined;

/** The rules of the resources. Rows of a resource without a rule are visible to nobody. */
export const resourceRules: ResourceRules = {
  Property: { ...byPlace, hostReadable: [provisionalIdProperty] },
  PublicRecord: byPlace,
  Media: { ...ofListing, privacy: privacyOfMedia },
  MediaAsset: {
    ...ofListing,
    privacy: { ...privacyOfMedia, property: mediaPermissionProperty.name },
    // Readable by the code that proves the policy. It holds nothing but what the policy tests.
    hostReadable: [{ ...mediaPermissionProperty, derivedFrom: [] }],
  },
  OpenHouse: ofListing,
  Member: { by: "dataset", contact: contactOfMember },
  Office: { by: "dataset", contact: contactOfOffice },
  Lookup: { by: "lookup", lookupName: "LookupName" },
};
