import type { EntityType, StructuralProperty } from "@cadastre/odata";

const hidden = (name: string): StructuralProperty => ({
  name,
  type: "Edm.String",
  collection: false,
  nullable: true,
});

/**
 * UUID, in lower case, of the dataset that a row belongs to; null where all datasets share the row. It is in no
 * entity set, so no query can name it: a store maps it to a column, rows in memory carry it as a member.
 */
export const datasetProperty: StructuralProperty = hidden("DatasetId");

/**
 * What a Media or OpenHouse row must know of its listing, each equal to the listing's own value and null where
 * there is no listing. In no entity set, as {@link datasetProperty}.
 */
export const listingProperties = {
  dataset: hidden("ListingDatasetId"),
  state: hidden("ListingStateOrProvince"),
  county: hidden("ListingCountyOrParish"),
  zip: hidden("ListingPostalCode"),
  originating_system: hidden("ListingOriginatingSystemName"),
} as const satisfies Record<string, StructuralProperty>;

/** What a MediaAsset row must know of its Media row, as {@link listingProperties}: for whom that is. */
export const mediaPermissionProperty: StructuralProperty = { ...hidden("MediaPermission"), collection: true };

/**
 * What the property of a listing is called while it has no Placekey, as `prov:<ULID>`: the host computes it from the
 * address and the place. In no entity set, as {@link datasetProperty}; see {@link ResourceRule.computed}.
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

/** Every property that a store may keep and that no entity set may have. */
export const hiddenProperties: ReadonlyMap<string, StructuralProperty> = new Map(
  [datasetProperty, ...Object.values(listingProperties), mediaPermissionProperty, provisionalIdProperty].map(
    (property) => [property.name, property],
  ),
);

/** Granted with the resource, in every dataset, as is the key: without them no record can be told from another. */
const alwaysGranted: readonly string[] = ["ModificationTimestamp", "OriginatingSystemName"];

export const isAlwaysGranted = (name: string, { key }: EntityType): boolean =>
  key.includes(name) || alwaysGranted.includes(name);

/** Where a row says in which region it is: names of properties, hidden or of the entity set. */
export type RegionProperties = {
  readonly state: string;
  readonly county: string;
  readonly zip: string;
  readonly originating_system: string;
};

/** What decides, beside the grants of its dataset, whether a row is visible. */
type RowRule =
  /** It lies in a granted region. */
  | { readonly by: "region"; readonly regions: RegionProperties }
  /** Its listing is visible as a row of `parent`. */
  | {
      readonly by: "parent";
      readonly parent: string;
      /** The parent's dataset. */
      readonly dataset: string;
      /** The parent's region. */
      readonly regions: RegionProperties;
    }
  /** Nothing else. */
  | { readonly by: "dataset" }
  /** It describes, by the name of the lookup in `lookupName`, a field that is visible. */
  | { readonly by: "lookup"; readonly lookupName: string };

/**
 * Which rows are for the public: those whose collection `property`, hidden or of the entity set, holds none but `open`
 * values. The others are private.
 */
export type Privacy = { readonly property: string; readonly open: readonly string[] };

export type ResourceRule = RowRule & {
  /** Absent: no row is private. */
  readonly privacy?: Privacy;
  /** Fields that no grant of all fields shows, but one of contact fields or of the very name. */
  readonly contact?: readonly string[];
  /**
   * Hidden properties that a query of the host may read, though no caller can name them. Each reads null in the rows of
   * a dataset that does not show all of `derivedFrom` whole.
   */
  readonly computed?: readonly StructuralProperty[];
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
 * Who may see a picture or a document: anybody, on every website (IDX) or as a client of a broker (VOW). What is for
 * agents, a firm or an office alone is private, and so is what has a value that is not known. Both spellings of each.
 * Source: RESO Data Dictionary 2.0, lookup Permission.
 */
const privacyOfMedia: Privacy = { property: "Permission", open: ["Public", "IDX", "Idx", "VOW", "Vow"] };

/** Where to call, write and visit a person. Source: RESO Data Dictionary 2.0, Member. */
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

/** The same of an office. Source: RESO Data Dictionary 2.0, Office. */
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

/** By resource. */
export type ResourceRules = Readonly<Record<string, ResourceRule>>;

export const ruleOf = (resource: string, rules: ResourceRules): ResourceRule | undefined =>
  Object.hasOwn(rules, resource) ? rules[resource] : undefined;

/** How each resource is restricted. Rows of a resource that has no rule are visible to nobody. */
export const resourceRules: ResourceRules = {
  Property: { ...byPlace, computed: [provisionalIdProperty] },
  PublicRecord: byPlace,
  Media: { ...ofListing, privacy: privacyOfMedia },
  MediaAsset: {
    ...ofListing,
    privacy: { ...privacyOfMedia, property: mediaPermissionProperty.name },
    // For who proves the policy: it is nothing but what the policy reads.
    computed: [{ ...mediaPermissionProperty, derivedFrom: [] }],
  },
  OpenHouse: ofListing,
  Member: { by: "dataset", contact: contactOfMember },
  Office: { by: "dataset", contact: contactOfOffice },
  Lookup: { by: "lookup", lookupName: "LookupName" },
};
