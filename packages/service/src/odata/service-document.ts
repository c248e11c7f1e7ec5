import { visibleEntitySet } from "@cadastre/entitlement";
import type { EntitySet } from "@cadastre/odata";
import { Refused } from "../errors.ts";
import { type Answer, found } from "../http/answer.ts";
import type { OdataRequest } from "./odata-request.ts";
import { jsonType } from "./protocol.ts";
import { parseServiceDocument } from "./query-options.ts";
import type { OdataServices } from "./services.ts";

/** `GET /reso/odata`. Source: OData JSON Format 4.01, section 5. */
export function serviceDocument(request: OdataRequest, { activeEntitySets }: OdataServices): Answer {
  request.stages.time("parse", () => parseServiceDocument(request));
  const value = activeEntitySets
    .filter(({ name }) => request.scope.visible(name))
    .map(({ name }) => ({ name, kind: "EntitySet", url: name }));
  const body = { "@odata.context": `${request.root}/$metadata`, value };
  return found(
    jsonType,
    request.stages.time("render", () => JSON.stringify(body)),
  );
}

/**
 * The set of that name as the caller sees it.
 *
 * @throws {Refused} `not_found`, whether it is unknown, not active or not granted.
 */
export function findEntitySet(
  name: string,
  { scope }: OdataRequest,
  { activeEntitySets }: OdataServices,
): EntitySet {
  const active = activeEntitySets.find((entitySet) => entitySet.name === name);
  if (active === undefined || !scope.visible(name)) throw new Refused("not_found");
  return visibleEntitySet(active, scope);
}
