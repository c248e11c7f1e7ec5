import { effect, signal } from "@preact/signals";
import { address } from "../address/current-address.ts";

/** Text of the filter while it is written; the address has the one that was asked for. */
export const draft = signal(address.value.filter);

effect(() => {
  draft.value = address.value.filter;
});
