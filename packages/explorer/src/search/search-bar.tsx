import { computed } from "@preact/signals";
import { address, go } from "../address/current-address.ts";
import { ServiceError } from "../api/service-error.ts";
import { firstModel } from "../query/current-query.ts";
import { firstRecords } from "../query/table-records.ts";
import { draft } from "./draft.ts";
import { FaultLine, isUnfinished } from "./fault-line.tsx";
import { FilterField } from "./filter-field.tsx";
import { filterEditing } from "./on-demand.ts";
import { draftFault, runDraft } from "./run-draft.ts";
import "./search.css";
import { Suggestions } from "./suggestions.tsx";
import { TermChips } from "./term-chips.tsx";

/** Fault to show: of the page, else what the service said of this text. */
const shownFault = computed(() => {
  const text = draft.value;
  if (draftFault.value !== undefined) return draftFault.value;
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
  const found = shownFault.value;
  return (
    <search class="search">
      <form
        class={`search-line ${found === undefined || isUnfinished(found.message) ? "" : "search-faulty"}`}
        onSubmit={(event) => {
          event.preventDefault();
          runDraft();
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
              runDraft();
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
          showsPlace={filterEditing.part.value === undefined}
          onReplace={(text) => {
            draft.value = text;
            runDraft();
          }}
        />
      )}
      {found === undefined && (address.value.filter === "" ? <Suggestions /> : <TermChips />)}
    </search>
  );
}
