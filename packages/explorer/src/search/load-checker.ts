import { type ReadonlySignal, signal } from "@preact/signals";

type Checker = typeof import("./filter-check.ts")["filterChecker"];

const loadedChecker = signal<Checker | undefined>(undefined);
let started = false;

/** The part of the page that parses and checks filters. Undefined until it is loaded. */
export const checker: ReadonlySignal<Checker | undefined> = loadedChecker;

/** Loads the checker once. It is half of the page's size, so that it comes when somebody is about to write. */
export function loadChecker(): void {
  if (started) return;
  started = true;
  import("./filter-check.ts").then(
    ({ filterChecker }) => {
      loadedChecker.value = filterChecker;
    },
    () => {
      // Without it the service tells what is wrong. The next focus tries again.
      started = false;
    },
  );
}
