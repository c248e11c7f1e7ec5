import type { BoundQuery } from "@cadastre/odata";
import { type Answer, found } from "../http/answer.ts";
import { jsonType } from "./protocol.ts";

/** What the control information of an answer says about its content. */
export type Content = {
  /** Absolute address of the service root. */
  readonly root: string;
  readonly query: Pick<BoundQuery, "entitySet" | "select">;
};

export type CollectionContent = Content & {
  /** JSON text of the records, with commas between them. */
  readonly records: Uint8Array;
  readonly count: number | undefined;
  readonly nextLink: string | undefined;
};

/** A collection. Source: OData JSON Format 4.01, sections 4.6 and 12. */
export function renderCollection({ records, count, nextLink, ...content }: CollectionContent): Answer {
  const counted = count === undefined ? "" : `,"@odata.count":${count}`;
  const linked = nextLink === undefined ? "" : `,"@odata.nextLink":${JSON.stringify(nextLink)}`;
  const before = `{"@odata.context":${JSON.stringify(contextOf(content))}${counted},"value":[`;
  return found(jsonType, [before, records, `]${linked}}`]);
}

const comma = Buffer.from(",");

/** One entity, of its record's JSON text. Source: OData JSON Format 4.01, section 6. */
export function renderEntity(content: Content, record: Uint8Array): Answer {
  const before = `{"@odata.context":${JSON.stringify(`${contextOf(content)}/$entity`)}`;
  const members = record.subarray(1);
  return found(jsonType, [before, ...(members.length > 1 ? [comma] : []), members]);
}

/** The context URL; names what is selected unless it is all. Source: OData Protocol 4.01, section 10.7. */
function contextOf({ root, query: { entitySet, select } }: Content): string {
  const all = select.length === entitySet.type.properties.size;
  const names = all ? "" : `(${select.map(({ property }) => property.name).join(",")})`;
  return `${root}/$metadata#${entitySet.name}${names}`;
}
