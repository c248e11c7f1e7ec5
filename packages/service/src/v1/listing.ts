import { readListedId } from "@cadastre/store/property";
import { Refused } from "../errors.ts";
import type { Answer } from "../http/answer.ts";
import { enveloped } from "./envelope.ts";
import { readPathId } from "./path-id.ts";
import { isPropertyId } from "./property.ts";
import { requireFilteredListings } from "./proven-set.ts";
import type { V1Services } from "./services.ts";
import type { V1Request } from "./v1-request.ts";

/**
 * Answers `GET /v1/listings/{listing_key}` with the id of the listing's property at `/v1/properties/{id}`.
 *
 * @throws {Refused} `invalid_listing_key`; `not_found` if the listing is hidden or does not exist
 */
export async function listing(request: V1Request, services: V1Services): Promise<Answer> {
  const { scope, stages, place } = request;
  const listingKey = stages.time("parse", () => readPathId(place, "invalid_listing_key"));
  const entitySet = requireFilteredListings(request, services);
  const identities = await services.identities();
  const listed = await stages.timeAsync("run", () =>
    readListedId(listingKey, { store: services.store, entitySet, scope }, { signal: request.gone() }),
  );
  if (listed === undefined) throw new Refused("not_found");
  const id = listed.id === undefined ? undefined : identities(listed.id).id;
  const data = { listing_key: listingKey, property_id: id !== undefined && isPropertyId(id) ? id : null };
  return stages.time("render", () => enveloped(data, scope));
}
