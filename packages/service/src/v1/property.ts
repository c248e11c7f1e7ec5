import { isProvisionalId, readProperty } from "@cadastre/store/property";
import { Refused } from "../errors.ts";
import type { Answer } from "../http/answer.ts";
import { isCanonicalPlacekey } from "../identity/placekey.ts";
import { enveloped } from "./envelope.ts";
import { readPathId } from "./path-id.ts";
import { requireFilteredListings } from "./proven-set.ts";
import type { V1Services } from "./services.ts";
import type { V1Request } from "./v1-request.ts";

/** True if the text has the form of a property id. */
export const isPropertyId = (id: string): boolean => isCanonicalPlacekey(id) || isProvisionalId(id);

/**
 * `GET /v1/properties/{id}`
 *
 * @throws {Refused} `not_found` if the property is hidden or absent: the same SQL statements find neither
 */
export async function getPhysicalProperty(request: V1Request, services: V1Services): Promise<Answer> {
  const { scope, stages, place } = request;
  const id = stages.time("parse", () => readPathId(place, "invalid_property_id"));
  const entitySet = requireFilteredListings(request, services);
  if (!isPropertyId(id)) throw new Refused("not_found");
  const { store } = services;
  const identities = await services.identities();
  const view = await stages.timeAsync("run", () =>
    readProperty(id, { store, entitySet, scope, identities }, { signal: request.gone() }),
  );
  if (view === undefined) throw new Refused("not_found");
  return stages.time("render", () => enveloped(view, scope));
}
