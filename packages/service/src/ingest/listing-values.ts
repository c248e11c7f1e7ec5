import { datasetProperty, listingProperties } from "@cadastre/entitlement";
import type { Row } from "@cadastre/odata";

const { dataset, state, county, zip, originating_system } = listingProperties;

/** Hidden columns that a record copies from its listing, which decides on its visibility, and the fields of Property they come from. */
export const listingFields: Readonly<Record<string, string>> = {
  [state.name]: "StateOrProvince",
  [county.name]: "CountyOrParish",
  [zip.name]: "PostalCode",
  [originating_system.name]: "OriginatingSystemName",
};

/** All hidden columns copied from a listing, and the columns of Property's table that they come from. */
export const listingColumns: Readonly<Record<string, string>> = {
  [dataset.name]: datasetProperty.name,
  ...listingFields,
};

/** Returns the values of the hidden columns that records copy from a listing. */
export const listingValues = (datasetId: string, property: Row): Row => ({
  [dataset.name]: datasetId,
  ...Object.fromEntries(Object.entries(listingFields).map(([name, field]) => [name, property[field]])),
});
