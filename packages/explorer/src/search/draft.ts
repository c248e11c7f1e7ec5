import { effect, signal } from "@preact/signals";
import { address, go } from "../address/current-address.ts";
import { remember } from "./filter-history.ts";

/** Text of the filter while it is written; the address has the one that was asked for. */
export const draft = signal(address.value.filter);

effect(() => {
  draft.value = address.value.filter;
});

/** Asks for the filter as it is written. */
export function run(): void {
  const filter = draft.value.trim();
  remember(address.value.entitySet, filter);
  go({ filter, record: "" });
}
