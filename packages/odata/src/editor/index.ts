/**
 * `$filter` in an editor: an extension of CodeMirror 6 that highlights, completes and checks while typing; and its parts, for editors of others.
 * Needs nothing of Node.
 *
 * @module
 */
import { autocompletion } from "@codemirror/autocomplete";
import { type Diagnostic, linter } from "@codemirror/lint";
import type { Extension } from "@codemirror/state";
import type { BindOptions } from "../bound/context.ts";
import type { EntitySet } from "../model/types.ts";
import { type FilterFault, filterFault } from "./check-filter.ts";
import { filterCompletions, type SuggestValues } from "./complete-filter.ts";
import { filterLanguage } from "./filter-language.ts";

export { type FilterFault, filterFault } from "./check-filter.ts";
export { filterCompletions, type SuggestValues } from "./complete-filter.ts";
export { filterLanguage } from "./filter-language.ts";
export { type FilterOperand, type FilterPosition, filterPosition } from "./filter-position.ts";

/** Options of {@link filterEditor}. */
export type FilterEditorOptions = {
  /** Without it, only members of enumerations are suggested as values. */
  readonly suggestValues?: SuggestValues;
  /** Options that the service binds filters with. */
  readonly bind?: BindOptions;
};

/**
 * Returns an extension of CodeMirror for the text of `$filter` on an entity set. Colours are those of the editor's highlight style; a fault is
 * underlined with the message of the service, and offers the name that was probably meant.
 */
export function filterEditor(entitySet: EntitySet, options: FilterEditorOptions = {}): Extension {
  return [
    filterLanguage,
    autocompletion({ override: [filterCompletions(entitySet.type, options.suggestValues)] }),
    linter(async (view) => {
      const fault = await filterFault(view.state.doc.toString(), entitySet, options.bind);
      return fault === undefined ? [] : [diagnosticOf(fault)];
    }),
  ];
}

function diagnosticOf({ from, to, message, code, suggestion }: FilterFault): Diagnostic {
  const fault = { from, to, message, severity: "error", source: code } as const;
  if (suggestion === undefined) return fault;
  return {
    ...fault,
    actions: [
      {
        name: `Replace by ${suggestion}`,
        apply: (view, start, end) => view.dispatch({ changes: { from: start, to: end, insert: suggestion } }),
      },
    ],
  };
}
