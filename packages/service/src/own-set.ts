import type { BoundQuery } from "@cadastre/odata";
import type { RecordSource } from "@cadastre/server/parts";

/** Reads a set whose records are not those of the store. */
export type OwnSetSource = Pick<RecordSource, "page" | "count" | "one">;

/** Returns a source that reads the set `name` from what `own` returns, and all others from `source`. */
export function withOwnSet(source: RecordSource, name: string, own: () => OwnSetSource): RecordSource {
  const of = ({ entitySet }: BoundQuery): OwnSetSource => (entitySet.name === name ? own() : source);
  return {
    ...source,
    page: (query, read) => of(query).page(query, read),
    count: (query, read) => of(query).count(query, read),
    one: (query, read) => of(query).one(query, read),
  };
}
