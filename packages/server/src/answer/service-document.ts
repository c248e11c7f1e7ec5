import { type EntitySet, nearest } from "@cadastre/odata";
import { ProtocolError } from "../errors.ts";
import { jsonTypeOf } from "../protocol/format.ts";
import type { OdataRequest } from "../protocol/odata-request.ts";
import { parseFormat } from "../protocol/query-options.ts";
import { type Answer, ok, tagged } from "./answer.ts";
import type { AnswerSession } from "./answer-session.ts";

/** `GET <root>`. Source: OData JSON Format 4.01, section 5. */
export function serviceDocument(request: OdataRequest, { model, settings }: AnswerSession): Answer {
  const format = request.stages.time("parse", () => parseFormat(request, "ServiceDocument", settings));
  const value = model.entitySets.map(({ name }) => ({ name, kind: "EntitySet", url: name }));
  const context = format.metadata === "none" ? {} : { "@odata.context": `${request.root}/$metadata` };
  return request.stages.time("render", () =>
    tagged(ok(jsonTypeOf(format), JSON.stringify({ ...context, value }))),
  );
}

/** Returns a question whether one of these was meant; empty if no name is similar. */
export function suggested(wanted: string, all: Iterable<{ readonly name: string }>): string {
  const meant = nearest(
    wanted,
    Array.from(all, ({ name }) => name),
  );
  return meant === undefined ? "" : `, did you mean \`${meant}\`?`;
}

/**
 * Returns the set with this name.
 *
 * @throws {ProtocolError} `not_found` if the caller sees none
 */
export function findEntitySet(name: string, { model }: AnswerSession): EntitySet {
  const found = model.entitySets.find((entitySet) => entitySet.name === name);
  if (found === undefined)
    throw new ProtocolError("not_found", {
      reason: `there is no entity set \`${name}\`${suggested(name, model.entitySets)}`,
    });
  return found;
}
