import type { EntitySet } from "@cadastre/odata";
import { textType } from "../protocol/format.ts";
import type { OdataRequest } from "../protocol/odata-request.ts";
import { isOfChanges, parseCountRequest } from "../protocol/query-options.ts";
import { type Answer, ok } from "./answer.ts";
import type { AnswerSession } from "./answer-session.ts";
import { countApplied } from "./applied.ts";
import { countChanges } from "./delta.ts";
import { bindRows, withOptionTarget } from "./read-query.ts";

/** `GET <root>/<EntitySet>/$count`. Source: OData Protocol 4.01, section 11.2.10. */
export async function count(
  request: OdataRequest,
  entitySet: EntitySet,
  session: AnswerSession,
): Promise<Answer> {
  const { stages } = request;
  if (isOfChanges(request, session.settings))
    return ok(textType, String(await countChanges(request, entitySet, session)));
  const parsed = stages.time("parse", () => parseCountRequest(request, session.settings));
  if (parsed.apply !== undefined)
    return ok(textType, await countApplied(request, entitySet, session, parsed));
  const options = { ...parsed, orderBy: undefined, top: 0 };
  const bound = stages.time("bind", () => bindRows(options, entitySet, session));
  const read = { own: options.own, signal: request.clientGone() };
  const records = await withOptionTarget({ options, bound, read, session }, () =>
    session.source.count(bound, read),
  );
  return ok(textType, String(records));
}
