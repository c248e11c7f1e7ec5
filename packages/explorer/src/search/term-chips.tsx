import { address, go } from "../address/current-address.ts";
import { titleOf } from "../model/service-model.ts";
import { shownSet } from "../query/current-query.ts";
import { termsOf, withoutTerm } from "../query/filter-terms.ts";
import { filterWords } from "./on-demand.ts";

function titleOfField(name: string): string {
  const property = shownSet.value?.type.properties.get(name);
  return property === undefined ? name : titleOf(property);
}

/** The conditions of the filter in words, each of which can be removed. */
export function TermChips() {
  const { filter } = address.value;
  const words = filterWords.part.value;
  if (words === undefined) setTimeout(filterWords.load, 200);
  return (
    <ul class="terms" aria-label="Conditions">
      {termsOf(filter).map((term) => (
        <li key={term} class="term" title={term}>
          <span>{words?.termInWords(term, titleOfField) ?? term}</span>
          <button
            type="button"
            aria-label={`Remove ${term}`}
            onClick={() => go({ filter: withoutTerm(filter, term) })}
          >
            ×
          </button>
        </li>
      ))}
    </ul>
  );
}
