import { type ReadonlySignal, signal } from "@preact/signals";

/** A filter that was asked for. */
export type PastFilter = { readonly entitySet: string; readonly filter: string };

/** Number of filters that are remembered, in memory only: a filter may hold what nobody else should read. */
const most = 20;

const past = signal<readonly PastFilter[]>([]);

/** Filters of this visit, the last one first. */
export const pastFilters: ReadonlySignal<readonly PastFilter[]> = past;

export function remember(entitySet: string, filter: string): void {
  if (filter === "") return;
  const others = past.value.filter((one) => one.filter !== filter || one.entitySet !== entitySet);
  past.value = [{ entitySet, filter }, ...others].slice(0, most);
}
