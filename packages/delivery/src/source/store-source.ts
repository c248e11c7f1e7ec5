import type { Store } from "@cadastre/store";
import type { DatasetReader } from "./dataset-reader.ts";
import type { ExportSource } from "./export-source.ts";

/** Returns a source of exports over a store, with a reader for each dataset. */
export function storeSource(
  store: Pick<Store, "checkpoint" | "stateAt">,
  datasets: Readonly<Record<string, DatasetReader>>,
): ExportSource {
  const readers = new Map(Object.entries(datasets));
  return {
    checkpoint: () => store.checkpoint(),
    stateAt: (time) => store.stateAt(time),
    columns: (dataset, scope) => readers.get(dataset)?.columns(scope),
    read: (request) => {
      const reader = readers.get(request.dataset);
      if (reader === undefined) throw new TypeError(`there is no dataset \`${request.dataset}\``);
      return reader.read(request);
    },
    bindFilter: (dataset, scope, filter) => readers.get(dataset)?.bindFilter?.(scope, filter),
    basis: async (names) =>
      JSON.stringify(await Promise.all(names.map(async (name) => readers.get(name)?.basis?.()))),
  };
}
