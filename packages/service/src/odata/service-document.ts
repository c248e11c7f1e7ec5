import { visibleEntitySet } from "@cadastre/entitlement";
import type { EntitySet } from "@cadastre/odata";
import { Refused } from "../errors.ts";
import { type Answer, ok, tagged } from "../http/answer.ts";
import { jsonTypeOf } from "./format.ts";
import type { OdataRequest } from "./odata-request.ts";
import { parseFormat } from "./query-options.ts";
import type { OdataServices } from "./services.ts";

/** `GET /reso/odata`. Source: OData JSON Format 4.01, section 5. */
export function serviceDocument(request: OdataRequest, { activeEntitySets }: OdataServices): Answer {
  const format = request.stages.time("parse", () => parseFormat(request));
  const value = activeEntitySets
    .filter(({ name }) => request.scope.visible(name))
    .map(({ name }) => ({ name, kind: "EntitySet", url: name }));
  const context = format.metadata === "none" ? {} : { "@odata.context": `${request.root}/$metadata` };
  return request.stages.time("render", () =>
    tagged(ok(jsonTypeOf(format), JSON.stringify({ ...context, value }))),
  );
}

/**
 * Returns the set with this name as the caller sees it.
 *
 * @throws {Refused} `not_found` if it is unknown, not active or not granted
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
