import { datasetProperty, listingProperties } from "@cadastre/entitlement";
import type { Row } from "@cadastre/odata";

const { dataset, state, county, zip, originating_system } = listingProperties;

/** What a row that is visible with its listing must know of the listing, and the field of Property that says it. */
export const listingFields: Readonly<Record<string, string>> = {
  [state.name]: "StateOrProvince",
  [county.name]: "CountyOrParish",
  [zip.name]: "PostalCode",
  [originating_system.name]: "OriginatingSystemName",
};

/** As {@link listingFields}, in columns of the table of Property. */
export const listingColumns: Readonly<Record<string, string>> = {
  [dataset.name]: datasetProperty.name,
  ...listingFields,
};

/** What a listing says to the rows that are visible with it. */
export const listingValues = (datasetId: string, property: Row): Row => ({
  [dataset.name]: datasetId,
  ...Object.fromEntries(Object.entries(listingFields).map(([name, field]) => [name, property[field]])),
});
