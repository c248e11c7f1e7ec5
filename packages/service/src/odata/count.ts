import { restrict } from "@cadastre/entitlement";
import type { EntitySet } from "@cadastre/odata";
import { type Answer, ok } from "../http/answer.ts";
import { textType } from "./format.ts";
import type { OdataRequest } from "./odata-request.ts";
import { atPlacekey } from "./placekey.ts";
import { parseCountRequest } from "./query-options.ts";
import { bindRows, withOptionTarget } from "./read-query.ts";
import type { OdataServices } from "./services.ts";

/** `GET /reso/odata/<EntitySet>/$count`. Source: OData Protocol 4.01, section 11.2.10. */
export async function count(
  request: OdataRequest,
  entitySet: EntitySet,
  services: OdataServices,
): Promise<Answer> {
  const { scope, stages, clientGone } = request;
  const { store } = services;
  const options = { ...stages.time("parse", () => parseCountRequest(request)), orderBy: undefined, top: 0 };
  const bound = stages.time("bind", () => bindRows(options, entitySet));
  const wanted = await atPlacekey(bound, options.placekey, request, services);
  const restricted = stages.time("restrict", () => restrict(wanted, scope));
  const records = await stages.timeAsync(
    "run",
    (within) =>
      withOptionTarget({ options, bound, scope, store }, () =>
        store.count(restricted, { signal: clientGone(), stages: within }),
      ),
    { entitySet: entitySet.name },
  );
  return ok(textType, String(records));
}
