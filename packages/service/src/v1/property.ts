import { isProvisionalId, readProperty } from "@cadastre/store/property";
import { Refused } from "../errors.ts";
import type { Answer } from "../http/answer.ts";
import { isCanonicalPlacekey } from "../identity/placekey.ts";
import { enveloped } from "./envelope.ts";
import { provenSet } from "./proven-set.ts";
import type { V1Services } from "./services.ts";
import type { V1Request } from "./v1-request.ts";

/** Longest id, in characters. Source: interface specification, section 8. */
const maxIdLength = 256;

/**
 * `GET /v1/properties/{id}`
 *
 * @throws {Refused} `not_found`, whether the property is hidden or absent: the same statements find neither.
 */
export async function property(request: V1Request, services: V1Services): Promise<Answer> {
  const { scope, stages, place } = request;
  const id = stages.time("parse", () => readPropertyId(place));
  const entitySet = provenSet(request, services);
  if (!isCanonicalPlacekey(id) && !isProvisionalId(id)) throw new Refused("not_found");
  const { store } = services;
  const identities = await services.identities();
  const view = await stages.timeAsync("run", () =>
    readProperty(id, { store, entitySet, scope, identities }, { signal: request.gone() }),
  );
  if (view === undefined) throw new Refused("not_found");
  return stages.time("render", () => enveloped(view, scope));
}

/** @throws {Refused} `invalid_property_id` */
function readPropertyId(place: string): string {
  const id = decode(place);
  const { length } = Array.from(id);
  if (length === 0 || length > maxIdLength || /\p{Cc}/u.test(id)) throw new Refused("invalid_property_id");
  return id;
}

function decode(place: string): string {
  try {
    return decodeURIComponent(place);
  } catch {
    throw new Refused("invalid_property_id");
  }
}
