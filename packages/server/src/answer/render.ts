import type { BoundExpand, BoundQuery, EntitySet, EntityType, StructuralProperty } from "@cadastre/odata";
import {
  contentTag,
  navigationNames,
  type RecordForm,
  typeAnnotation,
  typesOf,
  writeRecords,
  writeValue,
} from "@cadastre/odata/run";
import { type JsonFormat, jsonTypeOf } from "../protocol/format.ts";
import { type Answer, ok } from "./answer.ts";

/** Input for the control information of an answer. */
export type RenderInput = {
  /** Absolute URL of the service root. */
  readonly root: string;
  /** Namespace of the model. */
  readonly namespace: string;
  /** Query of the request. The records may have the key in addition to its `select`. */
  readonly query: Pick<BoundQuery, "entitySet" | "select">;
  readonly expand: readonly BoundExpand[];
  readonly format: JsonFormat;
};

export type CollectionContent = RenderInput & {
  /** JSON text of the records in the form of {@link recordFormOf}, separated by commas. */
  readonly records: Uint8Array;
  readonly count: number | undefined;
  readonly nextLink: string | undefined;
  /** Only on the last page. */
  readonly deltaLink?: string | undefined;
  /** Fragment of the context URL, unless the records are entities. */
  readonly context?: string | undefined;
};

/** Renders a collection. Source: OData JSON Format 4.01, sections 4.5 and 13. */
export function renderCollection(content: CollectionContent): Answer {
  const { root, format, records, count, nextLink, deltaLink, context } = content;
  const before = [
    ...contextMember(root, context ?? contextOf(content), format),
    ...countMember(count, format),
    '"value":[',
  ];
  const links = linkMembers({ nextLink, deltaLink });
  return ok(jsonTypeOf(format), [`{${before.join(",")}`, records, `]${links}}`]);
}

/** Returns the member with the number of records; none if they were not counted. */
export const countMember = (count: number | undefined, { ieee754 }: JsonFormat): readonly string[] =>
  count === undefined ? [] : [`"@odata.count":${ieee754 ? `"${count}"` : count}`];

/** Returns the members with the links of a page, each with a comma before it. */
export const linkMembers = (links: Readonly<Record<"nextLink" | "deltaLink", string | undefined>>): string =>
  Object.entries(links)
    .flatMap(([name, link]) => (link === undefined ? [] : [`,"@odata.${name}":${JSON.stringify(link)}`]))
    .join("");

/**
 * Renders an entity from its record's JSON text, with an ETag. Source: OData JSON Format 4.01, section 6.
 *
 * @param headers further headers of the answer
 */
export function renderEntity(
  content: RenderInput,
  record: Uint8Array,
  headers?: Readonly<Record<string, string>>,
): Answer {
  const { format, root } = content;
  const form = recordFormOf(content);
  const members = (form === undefined ? record : writeRecords(record, form)).subarray(1);
  const control = contextMember(root, entityContextOf(content), format);
  const comma = control.length > 0 && members.length > 1 ? "," : "";
  return {
    status: 200,
    contentType: jsonTypeOf(format),
    body: [`{${control.join()}${comma}`, members],
    headers: { etag: tagOf(content, record), ...headers },
  };
}

/** The entity of a property: `key` is its key predicate, as in a URL, without the parentheses. */
export type PropertyOwner = { readonly root: string; readonly entitySet: EntitySet; readonly key: string };

/** Renders a property that is not null. Source: OData JSON Format 4.01, section 11. */
export function renderProperty(
  { root, entitySet, key }: PropertyOwner,
  property: StructuralProperty,
  value: string,
  format: JsonFormat,
): Answer {
  const type = format.metadata === "full" ? typeAnnotation(property, value) : undefined;
  const members = [
    ...contextMember(root, `${entitySet.name}(${key})/${property.name}`, format),
    ...(type === undefined ? [] : [`"@odata.type":"${type}"`]),
    `"value":${writeValue(property, value, format)}`,
  ];
  return ok(jsonTypeOf(format), `{${members.join(",")}}`);
}

/** Returns the form in which records must be written. Undefined if the stored form can be sent unchanged. */
export function recordFormOf(content: RenderInput): RecordForm | undefined {
  const { root, namespace, format, query } = content;
  const { name, type } = query.entitySet;
  const { metadata, ieee754 } = format;
  if (metadata !== "full" && !ieee754) return undefined;
  const control = {
    typeName: `${namespace}.${type.name}`,
    resource: `${root}/${name}`,
    keys: type.key,
    navigation: navigationNames(type),
    hidden: hiddenKeys(type, query),
    tagged: taggedBeside(content),
  };
  return { ieee754, types: typesOf(type), control: metadata === "full" ? control : undefined };
}

/** Returns the properties of the key that are not selected. */
function hiddenKeys({ key }: EntityType, { select }: RenderInput["query"]): readonly string[] {
  const missing = key.filter((name) => !select.some(({ property }) => property.name === name));
  return missing.length === 0 ? none : missing;
}

const none: readonly string[] = [];

/** Returns the ETag of an entity as the caller sees it. Hidden fields do not change it. */
const tagOf = (content: RenderInput, record: Uint8Array): string =>
  contentTag(...taggedBeside(content), record);

/** Returns what an entity has beside its record: full metadata has links, which are told by the names of the navigation properties. */
const taggedBeside = (content: RenderInput): readonly string[] => [
  jsonTypeOf(content.format),
  content.root,
  entityContextOf(content),
  ...(content.format.metadata === "full" ? navigationNames(content.query.entitySet.type) : none),
];

/** Returns the member with the context URL; none without metadata. */
export const contextMember = (root: string, fragment: string, { metadata }: JsonFormat): readonly string[] =>
  metadata === "none" ? [] : [`"@odata.context":${JSON.stringify(`${root}/$metadata#${fragment}`)}`];

/**
 * Returns the fragment of the context URL. It lists the selected properties unless all are selected. Source: OData Protocol 4.01, section
 * 10.7.
 */
export function contextOf({ query, expand }: Pick<RenderInput, "query" | "expand">): string {
  const { name, type } = query.entitySet;
  const members = [...(selectsAll(query, type) ? [] : namesOf(query)), ...expand.flatMap(expandedName)];
  return members.length === 0 ? name : `${name}(${members.join(",")})`;
}

/** True if the query selects the properties of the entity type and no others. Computed ones come last. */
const selectsAll = ({ select }: RenderInput["query"], { properties }: EntityType): boolean =>
  select.length === properties.size && properties.has(select.at(-1)?.property.name ?? "");

const namesOf = ({ select }: RenderInput["query"]): readonly string[] =>
  select.map(({ property }) => property.name);

/** Returns the name of an expanded property with the list of what is selected there. Source: OData Protocol 4.01, section 10.9. */
function expandedName(item: BoundExpand): readonly string[] {
  if (item.count === "only") return [];
  const { name } = item.query.entitySet;
  if (item.referenceTo !== null) return [name];
  const context = contextOf(item);
  return [context === name ? `${name}()` : context];
}

const entityContextOf = (content: RenderInput): string => `${contextOf(content)}/$entity`;
