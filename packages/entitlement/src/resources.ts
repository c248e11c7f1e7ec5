import type { StructuralProperty } from "@cadastre/odata";

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

/** Every property that a row predicate may read and that no entity set may have. */
export const hiddenProperties: ReadonlyMap<string, StructuralProperty> = new Map(
  [datasetProperty, ...Object.values(listingProperties)].map((property) => [property.name, property]),
);

/** Where a row says in which region it is: names of properties, hidden or of the entity set. */
export type RegionProperties = {
  readonly state: string;
  readonly county: string;
  readonly zip: string;
  readonly originating_system: string;
};

/** What decides, beside the grants of its dataset, whether a row is visible. */
export type ResourceRule =
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

const ofListing: ResourceRule = {
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

/** How each resource is restricted. Rows of a resource that has no rule are visible to nobody. */
export const resourceRules: Readonly<Record<string, ResourceRule>> = {
  Property: {
    by: "region",
    regions: {
      state: "StateOrProvince",
      county: "CountyOrParish",
      zip: "PostalCode",
      originating_system: "OriginatingSystemName",
    },
  },
  Media: ofListing,
  OpenHouse: ofListing,
  Member: { by: "dataset" },
  Office: { by: "dataset" },
  Lookup: { by: "lookup", lookupName: "LookupName" },
};
