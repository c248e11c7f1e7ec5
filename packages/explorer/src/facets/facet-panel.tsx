import { address, go } from "../address/current-address.ts";
import { titleOf } from "../model/service-model.ts";
import { shownSet } from "../query/current-query.ts";
import { termsOf, withoutTerm, withTerm } from "../query/filter-terms.ts";
import { quoteText } from "../query/literals.ts";
import { formatCount } from "../table/format.ts";
import { countedAnyway, type Facet, facets, isTooSlow } from "./facet-values.ts";
import "./facets.css";

function FacetList({ facet }: { readonly facet: Facet }) {
  const { filter } = address.value;
  const property = shownSet.value?.type.properties.get(facet.field);
  const most = Math.max(...facet.values.map(({ count }) => count));
  const terms = termsOf(filter);
  return (
    <section class="facet">
      <h2>{property === undefined ? facet.field : titleOf(property)}</h2>
      <ul>
        {facet.values.map(({ value, count }) => {
          const term = `${facet.field} eq ${quoteText(value)}`;
          const isOn = terms.includes(term);
          return (
            <li key={value}>
              <button
                type="button"
                aria-pressed={isOn}
                title={isOn ? "Remove the condition" : term}
                onClick={() => go({ filter: isOn ? withoutTerm(filter, term) : withTerm(filter, term) })}
              >
                <span class="facet-bar" style={{ width: `${(100 * count) / most}%` }} />
                <span class="facet-value">{value}</span>
                <span class="facet-count">{formatCount(count)}</span>
              </button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** Values of the query to narrow it by, with their counts. */
export function FacetPanel() {
  const { value, isLoading } = facets.value;
  const shown = value?.filter(({ values }) => values.length > 0) ?? [];
  if (isTooSlow.value)
    return (
      <aside class="facets" aria-label="Narrow">
        <p class="quiet">Values are not counted, because this filter takes long.</p>
        <button
          type="button"
          class="button button-small"
          onClick={() => {
            countedAnyway.value = address.value.filter;
          }}
        >
          Count them
        </button>
      </aside>
    );
  if (shown.length === 0 && !isLoading) return null;
  return (
    <aside class="facets" aria-label="Narrow" aria-busy={isLoading}>
      {shown.length === 0 && <p class="quiet">Counting …</p>}
      {shown.map((facet) => (
        <FacetList key={facet.field} facet={facet} />
      ))}
    </aside>
  );
}
