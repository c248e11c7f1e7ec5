import { type EntitySet, QueryError, type QueryParts } from "@cadastre/odata";
import { type AppliedForm, type AppliedQuery, bindApplied, bindApply } from "@cadastre/odata/apply";
import { ProtocolError } from "../errors.ts";
import type { JsonFormat } from "../protocol/format.ts";
import type { OdataRequest } from "../protocol/odata-request.ts";
import { preferenceApplied } from "../protocol/prefer.ts";
import type { CollectionOptions, RowOptions } from "../protocol/query-options.ts";
import type { Answer } from "./answer.ts";
import type { AnswerSession, AppliedSource } from "./answer-session.ts";
import { contextOfApplied } from "./applied-context.ts";
import { nextLinkOf, pageSizeOf, startOfPage, type Walk } from "./continuation.ts";
import { bindExpansion, readFor } from "./read-query.ts";
import { recordFormOf, renderCollection } from "./render.ts";

/** Answers a collection with `$apply`. Source: OData Extension for Data Aggregation 4.0, section 3. */
export async function answerApplied(
  request: OdataRequest,
  entitySet: EntitySet,
  session: AnswerSession,
  options: CollectionOptions,
): Promise<Answer> {
  const { root, stages } = request;
  const { settings, model } = session;
  const source = appliedSourceOf(session, entitySet);
  const walk: Walk = { entitySet: entitySet.name, session, options };
  const position = stages.time("parse", () => startOfPage(walk));
  const { size, left } = pageSizeOf(options, position, settings);
  const { count, ignoreNulls, format, own, preferences } = options;
  const applied = stages.time("bind", () => bindResult({ ...options, top: size }, entitySet, session));
  const { isEntities } = applied.apply.output;
  const expand = stages.time("bind", () => bindExpansion(options, entitySet, model));
  if (!isEntities && expand.length > 0)
    throw new QueryError("conflicting_options", null, { name: "$expand", other: "$apply" }, "$expand");
  const content = { root, namespace: model.namespace, query: applied.query, expand, format };
  const read = {
    from: position?.from,
    count,
    nulls: !ignoreNulls,
    form: isEntities ? recordFormOf(content) : undefined,
    applied: formOf(format, !ignoreNulls, `${model.namespace}.${entitySet.type.name}`),
    expand,
    own,
    signal: request.clientGone(),
  };
  const asked = isEntities ? { ...applied, query: readFor(format, applied.query) } : applied;
  const page = await inApply(() => source.page(asked, read));
  try {
    return stages.time("render", () => {
      const answer = renderCollection({
        ...content,
        records: page.records,
        count: page.count,
        nextLink: nextLinkOf(page, { left, tracking: undefined }, walk, request),
        context: isEntities ? undefined : contextOfApplied(applied),
      });
      return { ...answer, headers: preferenceApplied(preferences), release: page.release };
    });
  } catch (error) {
    page.release?.();
    throw error;
  }
}

/** Returns the number of records of the result of `$apply`. */
export async function countApplied(
  request: OdataRequest,
  entitySet: EntitySet,
  session: AnswerSession,
  options: RowOptions,
): Promise<string> {
  const source = appliedSourceOf(session, entitySet);
  const applied = request.stages.time("bind", () => bindResult({ ...options, top: 0 }, entitySet, session));
  const read = { own: options.own, signal: request.clientGone() };
  return String(await inApply(() => source.count(applied, read)));
}

/** @throws {ProtocolError} `not_implemented` if the records of the session cannot be aggregated */
function appliedSourceOf({ source: { applied } }: AnswerSession, { name }: EntitySet): AppliedSource {
  if (applied !== undefined) return applied;
  throw new ProtocolError("not_implemented", {
    target: "$apply",
    reason: `\`${name}\` cannot be aggregated`,
  });
}

function bindResult(
  options: RowOptions & QueryParts,
  entitySet: EntitySet,
  { queryDefaults, settings }: AnswerSession,
): AppliedQuery {
  const { apply = [], aliases, ignoreCase, own } = options;
  const { orderBy: defaultOrder, searchable } = queryDefaults(entitySet);
  const given = { aliases, ignoreCase, searchable };
  const applied = bindApplied(bindApply(apply, entitySet, { ...given, defaultOrder }), options, given);
  for (const [name, text] of own) settings.ownOptions.get(name)?.check(text, entitySet);
  return applied;
}

/** Returns the format of records that are no entities: they have no id. Source: OData JSON Format 4.01, section 4.5.8. */
function formOf({ metadata, ieee754 }: JsonFormat, nulls: boolean, typeName: string): AppliedForm {
  if (metadata !== "full") return { nulls, ieee754, annotated: metadata === "none" ? "none" : "dynamic" };
  const control = `"@odata.type":${JSON.stringify(`#${typeName}`)},"@odata.id":null`;
  return { nulls, ieee754, annotated: "all", control };
}

/** Runs `work`. A query that cannot be compiled is the fault of `$apply`, unless the error names another option. */
async function inApply<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof QueryError && error.option === null ? error.in("$apply") : error;
  }
}
