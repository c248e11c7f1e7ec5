/** Thrown where a library is needed that is still being loaded: try again when `loaded` is fulfilled. */
class LibraryLoading {
  readonly loaded: Promise<unknown>;

  constructor(loaded: Promise<unknown>) {
    this.loaded = loaded;
  }
}

/**
 * Returns a function that returns a library, or throws {@link LibraryLoading} while it is loaded. In a page the libraries of rare functions
 * are fetched when they are first used; whoever checks a filter there uses {@link whenLoaded}.
 */
export function loadedOnDemand<L>(load: () => Promise<L>): () => L {
  let library: L | undefined;
  let loading: Promise<unknown> | undefined;
  return () => {
    if (library !== undefined) return library;
    loading ??= load().then(
      (loaded) => {
        library = loaded;
      },
      (error: unknown) => {
        // The next use tries again.
        loading = undefined;
        throw error;
      },
    );
    throw new LibraryLoading(loading);
  };
}

/** Returns the result of `compute`, which is repeated when a library that it needs is loaded. */
export async function whenLoaded<T>(compute: () => T): Promise<T> {
  for (;;) {
    try {
      return compute();
    } catch (error) {
      if (!(error instanceof LibraryLoading)) throw error;
      await error.loaded;
    }
  }
}
