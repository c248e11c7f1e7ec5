import type { Endpoint } from "../endpoint/endpoint.ts";
import { accountResources } from "./account-resources.ts";
import { fieldCompleteness } from "./field-completeness.ts";
import { listing } from "./listing.ts";
import { mapGrid } from "./map-grid.ts";
import { mlsProfiles } from "./mls-profiles.ts";
import { physicalProperty } from "./property.ts";
import type { V1Services } from "./services.ts";

/** The endpoints that read records and the account, as JSON. Source: interface specification, section 4.2. */
export const v1Endpoints: readonly Endpoint<V1Services>[] = [
  physicalProperty,
  listing,
  fieldCompleteness,
  mapGrid,
  accountResources,
  mlsProfiles,
];
