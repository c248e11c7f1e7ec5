import { useRef } from "preact/hooks";
import { shownSet } from "../query/current-query.ts";
import { draft } from "./draft.ts";
import { filterEditing } from "./on-demand.ts";
import { runDraft } from "./run-draft.ts";

/** Field that the filter is written in: plain text, which becomes an editor when it first has the focus. */
export function FilterField() {
  const input = useRef<HTMLInputElement>(null);
  const set = shownSet.value;
  const editing = filterEditing.part.value;
  if (editing !== undefined && set !== undefined) {
    const field = input.current;
    const hasFocus = field !== null && document.activeElement === field;
    const cursor = hasFocus ? (field.selectionStart ?? draft.value.length) : undefined;
    return <editing.FilterEditor key={set.name} set={set} cursor={cursor} onRun={runDraft} />;
  }
  return (
    <input
      ref={input}
      class="filter-field"
      type="text"
      name="filter"
      aria-label="Filter"
      placeholder="City eq 'Austin' and ListPrice lt 500000"
      spellcheck={false}
      autocomplete="off"
      autocapitalize="off"
      value={draft.value}
      onFocus={filterEditing.load}
      onInput={(event) => {
        draft.value = event.currentTarget.value;
      }}
    />
  );
}
