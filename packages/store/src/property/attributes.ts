/** Rule for choosing an attribute's value from a property's listings, which are in the order of `inPrecedence`. */
export type Survivorship =
  /** The value of the first listing, or null: for facts of one campaign, which belong together. */
  | { readonly rule: "lead"; readonly from: string }
  /** The first value that is not null: for facts about the building and the land. */
  | { readonly rule: "first"; readonly from: string }
  /** The values of all listings, without duplicates. */
  | { readonly rule: "all"; readonly from: string }
  /** The latest time. */
  | { readonly rule: "newest"; readonly from: string }
  /** All parts from the listing that has values for the most parts; if several do, from the first of these. */
  | { readonly rule: "together"; readonly from: Readonly<Record<string, string>> };

const lead = (from: string) => ({ rule: "lead", from }) as const;
const first = (from: string) => ({ rule: "first", from }) as const;
const all = (from: string) => ({ rule: "all", from }) as const;

/**
 * The attributes of a canonical property, with the RESO field and rule of each. An attribute is left out if the caller does not
 * see its field. Source of the first five names: interface specification, section 2.4.
 */
export const attributes: Readonly<Record<string, Survivorship>> = {
  status: lead("StandardStatus"),
  list_price: lead("ListPrice"),
  bedrooms: first("BedroomsTotal"),
  bathrooms: first("BathroomsTotalInteger"),
  osn: lead("OriginatingSystemName"),
  listing_key: lead("ListingKey"),
  listing_id: lead("ListingId"),
  listing_keys: all("ListingKey"),
  original_list_price: lead("OriginalListPrice"),
  close_price: lead("ClosePrice"),
  close_date: lead("CloseDate"),
  listing_contract_date: lead("ListingContractDate"),
  on_market_date: lead("OnMarketDate"),
  days_on_market: lead("DaysOnMarket"),
  status_change_timestamp: lead("StatusChangeTimestamp"),
  modification_timestamp: { rule: "newest", from: "ModificationTimestamp" },
  property_type: first("PropertyType"),
  property_sub_type: first("PropertySubType"),
  bathrooms_full: first("BathroomsFull"),
  bathrooms_half: first("BathroomsHalf"),
  living_area: first("LivingArea"),
  living_area_units: first("LivingAreaUnits"),
  lot_size_acres: first("LotSizeAcres"),
  lot_size_square_feet: first("LotSizeSquareFeet"),
  year_built: first("YearBuilt"),
  stories: first("StoriesTotal"),
  garage_spaces: first("GarageSpaces"),
  parcel_number: first("ParcelNumber"),
  subdivision: first("SubdivisionName"),
  address: {
    rule: "together",
    from: {
      unparsed: "UnparsedAddress",
      street_number: "StreetNumber",
      street_dir_prefix: "StreetDirPrefix",
      street_name: "StreetName",
      street_suffix: "StreetSuffix",
      street_dir_suffix: "StreetDirSuffix",
      unit_number: "UnitNumber",
      city: "City",
      county: "CountyOrParish",
      state: "StateOrProvince",
      postal_code: "PostalCode",
    },
  },
  location: { rule: "together", from: { latitude: "Latitude", longitude: "Longitude" } },
};

const fieldsOf = ({ from }: Survivorship): readonly string[] =>
  typeof from === "string" ? [from] : Object.values(from);

/** Names of all fields that attributes are taken from. */
export const attributeFields: readonly string[] = [...new Set(Object.values(attributes).flatMap(fieldsOf))];
