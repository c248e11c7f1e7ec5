import { type RestrictedQuery, restrict } from "@cadastre/entitlement";
import { type BoundQuery, bindQuery, type EntitySet, equals, propertyNode } from "@cadastre/odata";
import { Refused } from "../errors.ts";
import type { Answer } from "../http/answer.ts";
import type { EntityKey } from "./address.ts";
import type { OdataRequest } from "./odata-request.ts";
import { type EntityOptions, parseEntity } from "./query-options.ts";
import { renderEntity } from "./render.ts";
import type { OdataServices } from "./services.ts";
import { textNode } from "./text-node.ts";

/** `GET /reso/odata/<EntitySet>('<key>')` */
export async function entity(
  request: OdataRequest,
  entitySet: EntitySet,
  key: EntityKey,
  services: OdataServices,
): Promise<Answer> {
  const { root, scope, stages } = request;
  const options = stages.time("parse", () => parseEntity(request));
  const bound = stages.time("bind", () => bind(options, entitySet, key));
  const restricted = stages.time("restrict", () => restrict(bound, scope));
  const record = await stages.timeAsync("run", () => run(restricted, options, services));
  return stages.time("render", () => renderEntity({ root, query: restricted }, record));
}

/** @throws {Refused} `not_found` if the predicate names another property than the key. */
function bind({ select }: EntityOptions, entitySet: EntitySet, key: EntityKey): BoundQuery {
  const [name = ""] = entitySet.type.key;
  const property = entitySet.type.properties.get(name);
  if (property === undefined || (key.name !== null && key.name !== name)) throw new Refused("not_found");
  const query = bindQuery({ select, top: 1 }, entitySet);
  return { ...query, filter: equals(propertyNode(property), textNode(key.value)) };
}

/** @throws {Refused} `not_found`, whether the entity is hidden or absent: one statement finds neither. */
async function run(
  query: RestrictedQuery,
  { ignoreNulls }: EntityOptions,
  { store }: OdataServices,
): Promise<Uint8Array> {
  const record = await store.one(query, { nulls: !ignoreNulls });
  if (record === undefined) throw new Refused("not_found");
  return record;
}
