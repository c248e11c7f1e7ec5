import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { go } from "../address/current-address.ts";
import { byGroup } from "../model/field-groups.ts";
import { titleOf } from "../model/service-model.ts";
import { shownColumns, shownSet } from "../query/current-query.ts";

/** Dialog that chooses the columns of the table from all fields that the key sees, by group. */
export function ColumnChooser({ onClose }: { readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const search = useSignal("");
  const chosen = new Set(shownColumns.value.map(({ name }) => name));
  const type = shownSet.value?.type;

  useEffect(() => {
    dialog.current?.showModal();
  }, []);

  const wanted = search.value.trim().toLowerCase();
  const fields = [...(type?.properties.values() ?? [])].filter(
    (field) => wanted === "" || `${field.name} ${titleOf(field)}`.toLowerCase().includes(wanted),
  );
  const toggle = (name: string) => {
    const names = shownColumns.value.map((column) => column.name);
    const others = names.filter((one) => one !== name);
    // A new column is the second one, where it is in sight.
    go({ select: chosen.has(name) ? others : [...others.slice(0, 1), name, ...others.slice(1)] });
  };

  return (
    <dialog class="dialog chooser" ref={dialog} onClose={onClose} aria-labelledby="chooser-title">
      <div class="dialog-head">
        <h2 id="chooser-title">Columns</h2>
        <input
          type="search"
          placeholder={`Find in ${type?.properties.size ?? 0} fields`}
          aria-label="Find a field"
          value={search.value}
          onInput={(event) => {
            search.value = event.currentTarget.value;
          }}
        />
        <button type="button" class="button" onClick={() => go({ select: [] })}>
          As at the start
        </button>
        <button type="button" class="button button-main" onClick={() => dialog.current?.close()}>
          Done
        </button>
      </div>
      <div class="chooser-groups">
        {byGroup(fields).map(([title, members]) => (
          <fieldset key={title}>
            <legend>
              {title} <small>{members.length}</small>
            </legend>
            {members.map((field) => (
              <label key={field.name} title={field.name}>
                <input type="checkbox" checked={chosen.has(field.name)} onChange={() => toggle(field.name)} />
                {titleOf(field)}
              </label>
            ))}
          </fieldset>
        ))}
        {fields.length === 0 && <p class="quiet">No field is called so.</p>}
      </div>
    </dialog>
  );
}
