import { draft } from "./draft.ts";
import { loadChecker } from "./load-checker.ts";

/** Field that the filter is written in. */
export function FilterField() {
  return (
    <input
      class="filter-field"
      type="text"
      name="filter"
      aria-label="Filter"
      placeholder="City eq 'Austin' and ListPrice lt 500000"
      spellcheck={false}
      autocomplete="off"
      autocapitalize="off"
      value={draft.value}
      onFocus={loadChecker}
      onInput={(event) => {
        draft.value = event.currentTarget.value;
      }}
    />
  );
}
