import type { StructuralProperty } from "@cadastre/odata";
import type { JsonObject } from "../api/json.ts";
import { byGroup } from "../model/field-groups.ts";
import { titleOf } from "../model/service-model.ts";
import { formatValue } from "../table/format.ts";
import { narrow } from "../table/grid-cell.tsx";

type FieldListProperties = {
  readonly record: JsonObject;
  readonly fields: Iterable<StructuralProperty>;
};

/** Groups that are open at the start. */
const opened = new Set(["Price", "Status and dates", "Rooms and size"]);

/** Fields of a record that have a value, by group. A click on a value narrows the query to it. */
export function FieldList({ record, fields }: FieldListProperties) {
  const filled = [...fields].filter((field) => formatValue(field, record[field.name]) !== "");
  return (
    <>
      {byGroup(filled).map(([title, members]) => (
        <details key={title} class="fields" open={opened.has(title)}>
          <summary>
            {title} <small>{members.length}</small>
          </summary>
          <dl>
            {members.map((field) => {
              const text = formatValue(field, record[field.name]);
              return (
                <div key={field.name}>
                  <dt title={field.name}>{titleOf(field)}</dt>
                  <dd>
                    <button
                      type="button"
                      title={`Only records with this ${titleOf(field)}`}
                      onClick={() => narrow(field, record[field.name])}
                    >
                      {text}
                    </button>
                  </dd>
                </div>
              );
            })}
          </dl>
        </details>
      ))}
    </>
  );
}
