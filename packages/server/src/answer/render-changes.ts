import { entityAddress, writeValue } from "@cadastre/odata/run";
import { jsonTypeOf } from "../protocol/format.ts";
import type { OdataVersion } from "../protocol/version.ts";
import { type Answer, ok } from "./answer.ts";
import type { RemovedFromResult } from "./answer-session.ts";
import { contextMember, contextOf, countMember, linkMembers, type RenderInput } from "./render.ts";

type ChangesContent = RenderInput & {
  /** JSON text of the records in the form of `recordFormOf`, separated by commas. */
  readonly records: Uint8Array;
  readonly removed: readonly RemovedFromResult[];
  readonly count: number | undefined;
  readonly nextLink: string | undefined;
  readonly deltaLink: string | undefined;
  readonly version: OdataVersion;
};

/** Renders a page of changes: no record is twice among them, so any order is safe to apply. Source: OData JSON Format 4.01, section 15. */
export function renderChanges({
  records,
  removed,
  count,
  nextLink,
  deltaLink,
  version,
  ...content
}: ChangesContent): Answer {
  const { format, root } = content;
  const before = [
    ...contextMember(root, `${contextOf(content)}/$delta`, format),
    ...countMember(count, format),
    '"value":[',
  ];
  const links = linkMembers({ nextLink, deltaLink });
  const items = removed.map((one) => removedItems[version](one, content));
  const comma = records.length > 0 && items.length > 0 ? "," : "";
  return ok(jsonTypeOf(format), [`{${before.join(",")}`, records, `${comma}${items.join()}]${links}}`]);
}

/** Forms of a record that is not in the result any more, by version. They have their context or mark even without metadata: it says what they are. */
const removedItems: Readonly<
  Record<OdataVersion, (removed: RemovedFromResult, content: RenderInput) => string>
> = {
  "4.0": ({ key, reason }, { root, query: { entitySet } }) =>
    JSON.stringify({
      "@odata.context": `${root}/$metadata#${entitySet.name}/$deletedEntity`,
      id: `${root}/${entityAddress(entitySet.name, entitySet.type, key)}`,
      reason,
    }),
  "4.01": ({ key, reason }, { root, query: { entitySet }, format }) => {
    const { name, type } = entitySet;
    const members = type.key.map((own, i) => {
      const property = type.properties.get(own);
      const value = key[i] ?? "null";
      return `"${own}":${property === undefined ? value : writeValue(property, value, format)}`;
    });
    const id = JSON.stringify(`${root}/${entityAddress(name, type, key)}`);
    return `{"@removed":{"reason":"${reason}"},"@id":${id},${members.join()}}`;
  },
};
