import { type ReadonlySignal, signal } from "@preact/signals";
import { type PageAddress, printFragment, readFragment } from "./page-address.ts";

const current = signal<PageAddress>(readFragment(location.hash));

/** The state of the page, as its address bar shows it. */
export const address: ReadonlySignal<PageAddress> = current;

addEventListener("hashchange", () => {
  current.value = readFragment(location.hash);
});

/** Changes the state. The back button undoes it. */
export function go(change: Partial<PageAddress>): void {
  const next = { ...current.value, ...change };
  const fragment = printFragment(next);
  if (fragment === printFragment(current.value)) return;
  history.pushState(null, "", fragment);
  current.value = next;
}
