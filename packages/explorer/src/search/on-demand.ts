import { type ReadonlySignal, signal } from "@preact/signals";

/** A part of the page that is loaded when it is first needed. */
export type OnDemand<T> = {
  /** Undefined until it is loaded. */
  readonly part: ReadonlySignal<T | undefined>;
  /** Loads it, once. */
  readonly load: () => void;
};

function onDemand<T>(start: () => Promise<T>): OnDemand<T> {
  const part = signal<T | undefined>(undefined);
  let started = false;
  return {
    part,
    load: () => {
      if (started) return;
      started = true;
      start().then(
        (loadedPart) => {
          part.value = loadedPart;
        },
        () => {
          // The page works without it. The next call tries again.
          started = false;
        },
      );
    },
  };
}

/** Words for the terms of a filter, by the parser of the library. */
export const filterWords = onDemand(() =>
  import("./filter-words.ts").then(({ termInWords }) => ({ termInWords })),
);

/** The editor of the filter, with the checks of the library: half of the page's size. */
export const filterEditing = onDemand(() =>
  import("./filter-editor.tsx").then(({ FilterEditor, faultOfDraft }) => ({ FilterEditor, faultOfDraft })),
);
