import { address, go } from "../address/current-address.ts";
import { shownSet } from "../query/current-query.ts";
import { exampleQueries } from "./examples.ts";
import { pastFilters } from "./filter-history.ts";

/** Filters to start from: examples for what the key sees, and those of this visit. */
export function Suggestions() {
  const set = shownSet.value;
  if (set === undefined) return <div class="terms" />;
  const examples = exampleQueries.filter(
    (example) =>
      example.entitySet === set.name && example.needs.every((name) => set.type.properties.has(name)),
  );
  const past = pastFilters.value.filter((one) => one.entitySet === address.value.entitySet).slice(0, 3);
  return (
    <ul class="terms" aria-label="Examples">
      {past.map(({ filter }) => (
        <li key={filter}>
          <button type="button" class="example example-past" title={filter} onClick={() => go({ filter })}>
            {filter.length > 40 ? `${filter.slice(0, 40)}…` : filter}
          </button>
        </li>
      ))}
      {examples.map(({ title, filter, orderBy }) => (
        <li key={title}>
          <button type="button" class="example" title={filter} onClick={() => go({ filter, orderBy })}>
            {title}
          </button>
        </li>
      ))}
    </ul>
  );
}
