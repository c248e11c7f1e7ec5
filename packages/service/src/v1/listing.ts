import { readListedId } from "@cadastre/store/property";
import { z } from "zod";
import { defineEndpoint } from "../endpoint/endpoint.ts";
import { pathKey, string } from "../endpoint/members.ts";
import { Refused } from "../errors.ts";
import { isPropertyId } from "./property.ts";
import { requireFilteredListings } from "./proven-set.ts";
import type { V1Services } from "./services.ts";

/** Not in the interface specification. A listing that is hidden or does not exist is `not_found`. */
export const listing = defineEndpoint({
  method: "get",
  path: "/v1/listings/{listing_key}",
  tag: "JSON",
  summary: "The id of the property that a listing is of (beyond the specification)",
  channel: "api",
  params: { listing_key: pathKey("invalid_listing_key", "A `ListingKey`", "GSM_10000111") },
  answer: {
    data: z.object({
      listing_key: string,
      property_id: string.nullable().meta({ description: "Null if the fields that identify it are hidden" }),
    }),
  },
  errors: ["invalid_listing_key", "not_found"],
  handle: async ({ caller: { scope }, params, stages, clientGone, reply }, services: V1Services) => {
    const entitySet = requireFilteredListings(scope, services);
    const identities = await services.identities();
    const reads = { store: services.store, entitySet, scope };
    const listed = await stages.timeAsync("run", (within) =>
      readListedId(params.listing_key, reads, { signal: clientGone(), stages: within }),
    );
    if (listed === undefined) throw new Refused("not_found");
    const id = listed.id === undefined ? undefined : identities(listed.id).id;
    const property_id = id !== undefined && isPropertyId(id) ? id : null;
    return stages.time("render", () => reply({ listing_key: params.listing_key, property_id }));
  },
});
