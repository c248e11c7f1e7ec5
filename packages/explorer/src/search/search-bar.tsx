import { computed, signal } from "@preact/signals";
import { address, go } from "../address/current-address.ts";
import { ServiceError } from "../api/service-error.ts";
import { firstModel, shownSet } from "../query/current-query.ts";
import { firstRecords } from "../query/table-records.ts";
import { draft, run } from "./draft.ts";
import { FaultLine } from "./fault-line.tsx";
import { FilterField } from "./filter-field.tsx";
import { checker } from "./load-checker.ts";
import "./search.css";
import { Suggestions } from "./suggestions.tsx";
import { TermChips } from "./term-chips.tsx";

const isFocused = signal(false);

/** Fault of the text as it is written: found in the page while the library is loaded, else told by the service. */
const fault = computed(() => {
  const set = shownSet.value;
  const text = draft.value;
  const local = set && checker.value?.checkFilter(text, set);
  if (local !== undefined) return local;
  const { error } = firstRecords.state.value;
  if (!(error instanceof ServiceError) || text.trim() !== address.value.filter.trim()) return undefined;
  return { message: error.message, span: error.target === "$filter" ? error.span : undefined };
});

function SetChooser() {
  const sets = firstModel.value.value?.entitySets ?? [];
  return (
    <select
      class="set-chooser"
      aria-label="Entity set"
      value={address.value.entitySet}
      onChange={(event) =>
        go({ entitySet: event.currentTarget.value, filter: "", select: [], orderBy: "", record: "" })
      }
    >
      {sets.map(({ name }) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
  );
}

/** Search: entity set, filter, and under it its faults or its conditions in words. */
export function SearchBar() {
  const found = fault.value;
  return (
    <search class="search">
      <form
        class={`search-line ${found === undefined ? "" : "search-faulty"}`}
        onSubmit={(event) => {
          event.preventDefault();
          run();
        }}
        onFocusIn={() => {
          isFocused.value = true;
        }}
        onFocusOut={(event) => {
          if (!event.currentTarget.contains(event.relatedTarget as Node | null)) isFocused.value = false;
        }}
      >
        <SetChooser />
        <span class="search-option" aria-hidden="true">
          $filter
        </span>
        <FilterField />
        {draft.value !== "" && (
          <button
            type="button"
            class="search-clear"
            aria-label="Clear the filter"
            onClick={() => {
              draft.value = "";
              run();
            }}
          >
            ×
          </button>
        )}
        <button type="submit" class="button button-main">
          Run
        </button>
      </form>
      {found === undefined ? null : (
        <FaultLine
          text={draft.value}
          {...found}
          onReplace={(text) => {
            draft.value = text;
            run();
          }}
        />
      )}
      {found === undefined && (address.value.filter === "" ? <Suggestions /> : <TermChips />)}
    </search>
  );
}
