import { entityAddress, type RecordForm, writeRecords, writeValue } from "@cadastre/odata/run";
import { jsonTypeOf } from "../protocol/format.ts";
import type { OdataVersion } from "../protocol/version.ts";
import { type Answer, ok, type Piece } from "./answer.ts";
import type { ResultChange } from "./answer-session.ts";
import {
  contextMember,
  contextOf,
  countMember,
  linkMembers,
  type RenderInput,
  recordFormOf,
} from "./render.ts";

type ChangesContent = RenderInput & {
  readonly changes: readonly ResultChange[];
  readonly count: number | undefined;
  readonly nextLink: string | undefined;
  readonly deltaLink: string | undefined;
  readonly version: OdataVersion;
};

/** Renders a page of changes. Source: OData JSON Format 4.01, section 15. */
export function renderChanges({
  changes,
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
  const items = itemsOf(changes, recordFormOf(content), (change) => removedItems[version](change, content));
  return ok(jsonTypeOf(format), [`{${before.join(",")}`, ...items, `]${links}}`]);
}

type Removed = Extract<ResultChange, { readonly reason: string }>;

/** Writes the items with commas between them. Records that follow each other are written together. */
function itemsOf(
  changes: readonly ResultChange[],
  form: RecordForm | undefined,
  writeRemoved: (change: Removed) => string,
): readonly Piece[] {
  const pieces: Piece[] = [];
  let records: string[] = [];
  const push = (piece: Piece) => pieces.push(...(pieces.length === 0 ? [piece] : [",", piece]));
  const endRecords = () => {
    if (records.length === 0) return;
    const text = records.join();
    push(form === undefined ? text : writeRecords(Buffer.from(text), form));
    records = [];
  };
  for (const change of changes) {
    if ("record" in change) records.push(change.record);
    else {
      endRecords();
      push(writeRemoved(change));
    }
  }
  endRecords();
  return pieces;
}

/** Forms of a record that is not in the result any more, by version. They have their context or mark even without metadata: it says what they are. */
const removedItems: Readonly<Record<OdataVersion, (change: Removed, content: RenderInput) => string>> = {
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
