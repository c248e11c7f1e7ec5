import { type RestrictedQuery, restrict } from "@cadastre/entitlement";
import type { EntitySet } from "@cadastre/odata";
import { Refused } from "../errors.ts";
import type { Answer } from "../http/answer.ts";
import type { Stages } from "../telemetry/stages.ts";
import type { EntityKey } from "./address.ts";
import type { OdataRequest } from "./odata-request.ts";
import { preferenceApplied } from "./prefer.ts";
import { parseEntity } from "./query-options.ts";
import { bindOne, readFor } from "./read-query.ts";
import { renderEntity } from "./render.ts";
import type { OdataServices } from "./services.ts";

/** `GET /reso/odata/<EntitySet>('<key>')` */
export async function entity(
  request: OdataRequest,
  entitySet: EntitySet,
  key: EntityKey,
  services: OdataServices,
): Promise<Answer> {
  const { root, scope, stages } = request;
  const { select, format, ignoreNulls, preferences } = stages.time("parse", () => parseEntity(request));
  const query = stages.time("bind", () => bindOne(select, entitySet, key));
  const restricted = stages.time("restrict", () => restrict(readFor(format, query), scope));
  const record = await readOne(restricted, !ignoreNulls, stages, services);
  const answer = stages.time("render", () => renderEntity({ root, query, format }, record));
  return { ...answer, headers: { ...answer.headers, ...preferenceApplied(preferences) } };
}

/** Reads one entity. @throws {Refused} `not_found` if it is hidden or absent: the same SQL statement finds neither */
export async function readOne(
  query: RestrictedQuery,
  nulls: boolean,
  stages: Stages,
  { store }: OdataServices,
): Promise<Uint8Array> {
  const record = await stages.timeAsync("run", (within) => store.one(query, { nulls, stages: within }), {
    entitySet: query.entitySet.name,
  });
  if (record === undefined) throw new Refused("not_found");
  return record;
}
