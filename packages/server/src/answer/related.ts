import { type BoundExpand, type BoundQuery, bindQuery, type EntitySet } from "@cadastre/odata";
import { type StructuredProperty, writeRecords } from "@cadastre/odata/run";
import { propertyNode } from "@cadastre/odata/tree";
import { ProtocolError } from "../errors.ts";
import { textType } from "../protocol/format.ts";
import type { OdataRequest } from "../protocol/odata-request.ts";
import { preferenceApplied } from "../protocol/prefer.ts";
import {
  type CollectionOptions,
  parseCollection,
  parseCountRequest,
  parseEntity,
} from "../protocol/query-options.ts";
import type { EntityAddress } from "../protocol/resource-address.ts";
import { type Answer, noContent, ok } from "./answer.ts";
import type { AnswerSession } from "./answer-session.ts";
import { pageSizeOf } from "./continuation.ts";
import { readOne } from "./entity.ts";
import { predicateOf } from "./property.ts";
import { bindExpansion, bindOne, bindRows, readFor } from "./read-query.ts";
import { readRecords } from "./record-members.ts";
import { recordFormOf, renderCollection, renderEntity } from "./render.ts";

/** Address of what a navigation property of an entity leads to. */
export type RelatedAddress = EntityAddress & { readonly property: string };

/** Returns the navigation property of an address. Undefined if it names none that the caller may see. */
export function navigationOf(
  { property }: RelatedAddress,
  { type }: EntitySet,
): StructuredProperty | undefined {
  const found = type.structured?.get(property);
  return found !== undefined && "key" in found.target() ? found : undefined;
}

/** A request for what a navigation property of an entity leads to. */
export type RelatedRequest = {
  readonly request: OdataRequest;
  /** Set of the entity. */
  readonly entitySet: EntitySet;
  readonly address: RelatedAddress;
  readonly navigation: StructuredProperty;
  readonly session: AnswerSession;
};

/** `GET <root>/<EntitySet>('<key>')/<Navigation>`. Source: OData Protocol 4.01, section 11.2.7. */
export const answerRelated = (related: RelatedRequest): Promise<Answer> =>
  related.navigation.collection ? relatedCollection(related) : relatedEntity(related);

/** `GET <root>/<EntitySet>('<key>')/<Navigation>/$count`. Source: OData Protocol 4.01, section 11.2.10. */
export async function countRelated(related: RelatedRequest): Promise<Answer> {
  const { request, navigation, session } = related;
  if (!navigation.collection)
    throw new ProtocolError("not_found", { reason: `\`${navigation.name}\` leads to one entity` });
  const parsed = request.stages.time("parse", () => parseCountRequest(request, session.settings));
  refuseOthers(parsed);
  const query = bindRows({ ...parsed, orderBy: undefined, top: 0 }, targetOf(navigation, session), session);
  const item = {
    navigation,
    query: { ...query, top: Number.POSITIVE_INFINITY },
    ...plain,
    count: "only" as const,
  };
  const members = await readItem(item, related);
  return ok(textType, members.get(`${navigation.name}@odata.count`) ?? "0");
}

const plain = { count: "no", referenceTo: null, expand: [] } as const satisfies Partial<BoundExpand>;

/** Answers as a collection is answered, page by page; the next page is told by how many entities to pass over. */
async function relatedCollection(related: RelatedRequest): Promise<Answer> {
  const { request, address, navigation, session } = related;
  const { root, stages } = request;
  const { settings, model } = session;
  const options = stages.time("parse", () => parseCollection(request, settings));
  refuseOthers(options);
  const target = targetOf(navigation, session);
  const { size, left } = pageSizeOf(options, undefined, settings);
  const query = stages.time("bind", () => bindRows({ ...options, top: size + 1 }, target, session));
  const expand = bindExpansion(options, target, model);
  const item: BoundExpand = {
    navigation,
    query: readFor(options.format, query),
    count: options.count ? "also" : "no",
    referenceTo: null,
    expand,
  };
  const members = await readItem(item, related, !options.ignoreNulls);
  const found = [...readRecords((members.get(navigation.name) ?? "[]").slice(1, -1))].map(({ text }) => text);
  const content = { root, namespace: model.namespace, query, expand, format: options.format };
  const form = recordFormOf(content);
  const records = Buffer.from(found.slice(0, size).join());
  const hasNext = found.length > size && (left === null || left > size);
  const counted = members.get(`${navigation.name}@odata.count`);
  const answer = renderCollection({
    ...content,
    records: form === undefined ? records : writeRecords(records, form),
    count: counted === undefined ? undefined : Number(counted),
    nextLink: hasNext ? linkPast(size, left, options, address, request) : undefined,
  });
  return { ...answer, headers: preferenceApplied(options.preferences) };
}

async function relatedEntity(related: RelatedRequest): Promise<Answer> {
  const { request, navigation, session } = related;
  const { root, stages } = request;
  const { model, settings } = session;
  const options = stages.time("parse", () => parseEntity(request, settings));
  const { select, compute, expand: items, aliases, format, ignoreNulls } = options;
  const target = targetOf(navigation, session);
  const parts = { select, compute, expand: items, top: 1 };
  const query = stages.time("bind", () => bindQuery(parts, target, [], { aliases }));
  const expand = bindExpansion(options, target, model);
  const item: BoundExpand = { navigation, query: readFor(format, query), ...plain, expand };
  const members = await readItem(item, related, !ignoreNulls);
  const record = members.get(navigation.name) ?? "null";
  if (record === "null") return noContent;
  return stages.time("render", () =>
    renderEntity({ root, namespace: model.namespace, query, expand, format }, Buffer.from(record)),
  );
}

/** Reads an entity with one item of `$expand`; returns the members of its JSON text. @throws {ProtocolError} `not_found` without the entity */
async function readItem(
  item: BoundExpand,
  { request, entitySet, address, session }: RelatedRequest,
  nulls = true,
): Promise<ReadonlyMap<string, string>> {
  const bound = request.stages.time("bind", () => bindOne({}, entitySet, address.key));
  const query: BoundQuery = { ...bound, select: keyOf(entitySet) };
  const record = await readOne(request, query, { nulls, expand: [item] }, session);
  const [read] = readRecords(Buffer.from(record).toString());
  return new Map(read?.members.map(({ name, value }) => [name, value]));
}

const keyOf = ({ type }: EntitySet): BoundQuery["select"] =>
  type.key.flatMap((name) => {
    const property = type.properties.get(name);
    return property === undefined ? [] : [{ property, expression: propertyNode(property) }];
  });

/** @throws {ProtocolError} `not_found` if no set that the caller sees has the entities */
function targetOf({ name, target }: StructuredProperty, { model }: AnswerSession): EntitySet {
  const type = target();
  const found = model.entitySets.find((one) => one.type === type);
  if (found === undefined)
    throw new ProtocolError("not_found", { reason: `\`${name}\` leads to no entity set` });
  return found;
}

/** Refuses options that only whole entity sets take. */
function refuseOthers(
  options: Pick<CollectionOptions, "apply" | "search" | "own"> & Partial<CollectionOptions>,
): void {
  const given = {
    $apply: options.apply,
    $search: options.search,
    $skiptoken: options.skipToken,
    $deltatoken: options.deltaToken,
    $format: options.file,
    ...Object.fromEntries(options.own),
  };
  const refused = Object.entries(given).find(([, value]) => value !== undefined);
  if (refused !== undefined)
    throw new ProtocolError("not_implemented", {
      target: refused[0],
      reason: "of related entities: ask their own entity set",
    });
}

/** Returns the address of the page after one of `size` entities. @param left number of entities of all pages from this one on; null without a limit */
function linkPast(
  size: number,
  left: number | null,
  { skip }: CollectionOptions,
  { entitySet, key, property }: RelatedAddress,
  { root, query }: OdataRequest,
): string {
  const replaced = left === null ? /^(?:\$|%24)?skip=/i : /^(?:\$|%24)?(?:skip|top)=/i;
  const kept = query.split("&").filter((part) => part !== "" && !replaced.test(part));
  const top = left === null ? [] : [`$top=${left - size}`];
  const options = [...kept, ...top, `$skip=${skip + size}`];
  return `${root}/${entitySet}(${predicateOf(key)})/${property}?${options.join("&")}`;
}
