import type { BoundQuery, Row } from "@cadastre/odata";
import type { Answer } from "../http/answer.ts";
import { jsonType } from "./protocol.ts";

/** What the control information of an answer says about its content. */
export type Content = {
  /** Absolute address of the service root. */
  readonly root: string;
  readonly query: Pick<BoundQuery, "entitySet" | "select">;
  readonly ignoreNulls: boolean;
};

export type CollectionContent = Content & {
  readonly rows: readonly Row[];
  readonly count: number | undefined;
  readonly nextLink: string | undefined;
};

/** A collection. Source: OData JSON Format 4.01, sections 4.6 and 12. */
export function renderCollection(content: CollectionContent): Answer {
  const { rows, count, nextLink, ignoreNulls } = content;
  const body = {
    "@odata.context": contextOf(content),
    ...(count === undefined ? {} : { "@odata.count": count }),
    value: ignoreNulls ? rows.map(withoutNulls) : rows,
    ...(nextLink === undefined ? {} : { "@odata.nextLink": nextLink }),
  };
  return { contentType: jsonType, body: JSON.stringify(body) };
}

/** One entity. Source: OData JSON Format 4.01, section 6. */
export function renderEntity(content: Content, row: Row): Answer {
  const entity = content.ignoreNulls ? withoutNulls(row) : row;
  const body = { "@odata.context": `${contextOf(content)}/$entity`, ...entity };
  return { contentType: jsonType, body: JSON.stringify(body) };
}

/** The context URL; names what is selected unless it is all. Source: OData Protocol 4.01, section 10.7. */
function contextOf({ root, query: { entitySet, select } }: Content): string {
  const all = select.length === entitySet.type.properties.size;
  const names = all ? "" : `(${select.map(({ property }) => property.name).join(",")})`;
  return `${root}/$metadata#${entitySet.name}${names}`;
}

function withoutNulls(row: Row): Row {
  const kept: Record<string, unknown> = {};
  for (const name in row) if (row[name] !== null) kept[name] = row[name];
  return kept;
}
