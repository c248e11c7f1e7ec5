import { computed } from "@preact/signals";
import { address, go } from "../address/current-address.ts";
import type { TextSpan } from "../api/service-error.ts";
import { shownSet } from "../query/current-query.ts";
import { loaded } from "../query/loaded.ts";
import { draft } from "./draft.ts";
import { remember } from "./filter-history.ts";
import { filterEditing } from "./on-demand.ts";

/** A fault of a filter, as the service tells it. */
export type DraftFault = { readonly message: string; readonly span: TextSpan | undefined };

const checked = loaded(() => {
  const set = shownSet.value;
  const text = draft.value;
  return set && filterEditing.part.value?.faultOfDraft(text, set).then((fault) => ({ text, fault }));
});

/** Fault of the text as it is written, found in the page while the editor is loaded. Undefined: none is known. */
export const draftFault = computed<DraftFault | undefined>(() => {
  const last = checked.value.value;
  return last?.text === draft.value ? last.fault : undefined;
});

/** Asks for the filter as it is written, unless it is known to be wrong. */
export function runDraft(): void {
  if (draftFault.value !== undefined) return;
  const filter = draft.value.trim();
  remember(address.value.entitySet, filter);
  go({ filter, record: "" });
}
