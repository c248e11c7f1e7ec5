import { listingProperties } from "@cadastre/entitlement";
import type { Row } from "@cadastre/odata";

/** What a row that is visible with its listing must know of the listing. */
export function listingValues(datasetId: string, property: Row): Row {
  const { dataset, state, county, zip, originating_system } = listingProperties;
  return {
    [dataset.name]: datasetId,
    [state.name]: property["StateOrProvince"],
    [county.name]: property["CountyOrParish"],
    [zip.name]: property["PostalCode"],
    [originating_system.name]: property["OriginatingSystemName"],
  };
}
