import { computed } from "@preact/signals";
import { address, go } from "../address/current-address.ts";
import { ServiceError } from "../api/service-error.ts";
import { firstModel, shownSet } from "../query/current-query.ts";
import { loaded } from "../query/loaded.ts";
import { firstRecords } from "../query/table-records.ts";
import { draft, run } from "./draft.ts";
import { FaultLine, isUnfinished } from "./fault-line.tsx";
import { FilterField } from "./filter-field.tsx";
import { filterEditing } from "./on-demand.ts";
import "./search.css";
import { Suggestions } from "./suggestions.tsx";
import { TermChips } from "./term-chips.tsx";

/** Fault of the text as it is written, found in the page while the editor is loaded. */
const draftFault = loaded(() => {
  const set = shownSet.value;
  const text = draft.value;
  return set && filterEditing.part.value?.faultOfDraft(text, set).then((fault) => ({ text, fault }));
});

/** Fault to show: of the page, else what the service said of this text. */
const shownFault = computed(() => {
  const text = draft.value;
  const checked = draftFault.value.value;
  if (checked?.text === text && checked.fault !== undefined) return checked.fault;
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
          run();
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
          showsPlace={filterEditing.part.value === undefined}
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
