import type { BoundExpand, BoundQuery, EntitySet } from "@cadastre/odata";
import { ProtocolError } from "../errors.ts";
import type { OdataRequest } from "../protocol/odata-request.ts";
import { preferenceApplied } from "../protocol/prefer.ts";
import { parseEntity } from "../protocol/query-options.ts";
import type { EntityKey } from "../protocol/resource-address.ts";
import type { Answer } from "./answer.ts";
import type { AnswerSession } from "./answer-session.ts";
import { bindExpansion, bindOne, readFor } from "./read-query.ts";
import { renderEntity } from "./render.ts";

/** `GET <root>/<EntitySet>('<key>')` */
export async function entity(
  request: OdataRequest,
  entitySet: EntitySet,
  key: EntityKey,
  session: AnswerSession,
): Promise<Answer> {
  const { root, stages } = request;
  const options = stages.time("parse", () => parseEntity(request, session.settings));
  const { format, ignoreNulls, preferences } = options;
  const { query, expand } = stages.time("bind", () => ({
    query: bindOne(options, entitySet, key),
    expand: bindExpansion(options, entitySet, session.model),
  }));
  const record = await readOne(request, readFor(format, query), { nulls: !ignoreNulls, expand }, session);
  const content = { root, namespace: session.model.namespace, query, expand, format };
  return stages.time("render", () => renderEntity(content, record, preferenceApplied(preferences)));
}

const noExpand: readonly BoundExpand[] = [];

/**
 * Contents of an entity. Its signal is created when it is first read, which a read by key does not need: V8 of Node 20 gives each signal a hidden
 * class of its own, which outlives it. A getter in an object literal would have one too.
 */
class OneRead {
  readonly nulls: boolean;
  readonly expand: readonly BoundExpand[];
  readonly #request: OdataRequest;

  constructor(nulls: boolean, expand: readonly BoundExpand[], request: OdataRequest) {
    this.nulls = nulls;
    this.expand = expand;
    this.#request = request;
  }

  get signal(): AbortSignal {
    return this.#request.clientGone();
  }
}

/** Reads one entity. @throws {ProtocolError} `not_found` if it is hidden or absent: the same query finds neither */
export async function readOne(
  request: OdataRequest,
  query: BoundQuery,
  { nulls, expand = noExpand }: { readonly nulls: boolean; readonly expand?: readonly BoundExpand[] },
  { source }: AnswerSession,
): Promise<Uint8Array> {
  const record = await source.one(query, new OneRead(nulls, expand, request));
  if (record === undefined)
    throw new ProtocolError("not_found", {
      reason: `there is no entity of \`${query.entitySet.name}\` with this key`,
    });
  return record;
}
