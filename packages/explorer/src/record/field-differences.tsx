import type { StructuralProperty } from "@cadastre/odata";
import type { JsonObject } from "../api/json.ts";
import { byGroup } from "../model/field-groups.ts";
import { titleOf } from "../model/service-model.ts";
import { formatValue } from "../table/format.ts";

type DifferencesProperties = {
  readonly first: JsonObject;
  readonly second: JsonObject | undefined;
  readonly fields: Iterable<StructuralProperty>;
  readonly names: readonly [first: string, second: string];
};

/** Fields of a record that two keys see differently. */
export function FieldDifferences({ first, second, fields, names }: DifferencesProperties) {
  if (second === undefined)
    return (
      <section class="record-part differences">
        <h3>{names[1]} does not see this record</h3>
      </section>
    );
  const different = [...fields].filter(
    (field) => formatValue(field, first[field.name]) !== formatValue(field, second[field.name]),
  );
  return (
    <section class="record-part differences">
      <h3>
        {different.length === 0
          ? "Both keys see the same"
          : `${different.length} fields differ for ${names[1]}`}
      </h3>
      {byGroup(different).map(([title, members]) => (
        <details key={title} class="fields" open>
          <summary>
            {title} <small>{members.length}</small>
          </summary>
          <dl>
            {members.map((field) => (
              <div key={field.name}>
                <dt title={field.name}>{titleOf(field)}</dt>
                <dd>
                  <span class="seen-first">{formatValue(field, first[field.name]) || "–"}</span>
                  <span class="seen-second">{formatValue(field, second[field.name]) || "hidden"}</span>
                </dd>
              </div>
            ))}
          </dl>
        </details>
      ))}
    </section>
  );
}
