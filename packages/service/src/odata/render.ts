import type { BoundQuery, EntitySet, StructuralProperty } from "@cadastre/odata";
import { entityModel } from "@cadastre/reso";
import { type Answer, found } from "../http/answer.ts";
import { entityTag } from "./entity-tag.ts";
import { type JsonFormat, jsonTypeOf } from "./format.ts";
import {
  isAsStored,
  keyLiteral,
  type RecordForm,
  typeAnnotation,
  writeRecords,
  writeValue,
} from "./record-form.ts";

/** What the control information of an answer says about its content. */
export type Content = {
  /** Absolute address of the service root. */
  readonly root: string;
  /** What was asked for; the records may hold the key beside it. */
  readonly query: Pick<BoundQuery, "entitySet" | "select">;
  readonly format: JsonFormat;
};

export type CollectionContent = Content & {
  /** JSON text of the records, with commas between them. */
  readonly records: Uint8Array;
  readonly count: number | undefined;
  readonly nextLink: string | undefined;
};

/** A collection. Source: OData JSON Format 4.01, sections 4.5 and 13. */
export async function renderCollection({
  records,
  count,
  nextLink,
  ...content
}: CollectionContent): Promise<Answer> {
  const { format } = content;
  const before = [
    ...contextMember(content.root, contextOf(content), format),
    ...(count === undefined ? [] : [`"@odata.count":${format.ieee754 ? `"${count}"` : count}`]),
    '"value":[',
  ];
  const linked = nextLink === undefined ? "" : `,"@odata.nextLink":${JSON.stringify(nextLink)}`;
  const written = isAsStored(format) ? records : await writeRecords(textOf(records), formOf(content));
  return found(jsonTypeOf(format), [`{${before.join(",")}`, written, `]${linked}}`]);
}

/** One entity, of its record's JSON text, with its ETag. Source: OData JSON Format 4.01, section 6. */
export async function renderEntity(content: Content, record: Uint8Array): Promise<Answer> {
  const { format, root } = content;
  const members = isAsStored(format)
    ? record.subarray(1)
    : (await writeRecords(textOf(record), formOf(content))).slice(1);
  const control = contextMember(root, entityContextOf(content), format);
  const comma = control.length > 0 && members.length > 1 ? "," : "";
  const answer = found(jsonTypeOf(format), [`{${control.join()}${comma}`, members]);
  return { ...answer, headers: { etag: tagOf(content, record) } };
}

/** One property that has a value. Source: OData JSON Format 4.01, section 11. */
export function renderProperty(
  { root, entitySet, key }: { readonly root: string; readonly entitySet: EntitySet; readonly key: string },
  property: StructuralProperty,
  value: string,
  format: JsonFormat,
): Answer {
  const type = format.metadata === "full" ? typeAnnotation(property, value) : undefined;
  const members = [
    ...contextMember(root, `${entitySet.name}(${keyLiteral(key)})/${property.name}`, format),
    ...(type === undefined ? [] : [`"@odata.type":"${type}"`]),
    `"value":${writeValue(property, value, format)}`,
  ];
  return found(jsonTypeOf(format), `{${members.join(",")}}`);
}

const textOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();

function formOf(content: Content): RecordForm {
  const { root, format, query } = content;
  const { name, type } = query.entitySet;
  const shown = new Set(query.select.map(({ property }) => property.name));
  return {
    format,
    type,
    typeName: `${entityModel.namespace}.${type.name}`,
    resource: `${root}/${name}`,
    isShown: (member) => shown.has(member),
    tagOf: (record) => tagOf(content, record),
  };
}

/** The ETag of an entity as this caller sees it: what is hidden from them has no part in it. */
const tagOf = (content: Content, record: string | Uint8Array): string =>
  entityTag(jsonTypeOf(content.format), content.root, entityContextOf(content), record);

const contextMember = (root: string, fragment: string, { metadata }: JsonFormat): readonly string[] =>
  metadata === "none" ? [] : [`"@odata.context":${JSON.stringify(`${root}/$metadata#${fragment}`)}`];

/** The fragment of the context URL; names what is selected unless it is all. Source: OData Protocol 4.01, section 10.7. */
function contextOf({ query: { entitySet, select } }: Content): string {
  const all = select.length === entitySet.type.properties.size;
  const names = all ? "" : `(${select.map(({ property }) => property.name).join(",")})`;
  return `${entitySet.name}${names}`;
}

const entityContextOf = (content: Content): string => `${contextOf(content)}/$entity`;
