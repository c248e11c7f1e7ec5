import { sampleSystems } from "@cadastre/sample/catalog";
import type { Change } from "@cadastre/store";
import { listingAt, listingKeyAt } from "../../bench/listing.ts";
import { randomFrom } from "../../bench/random.ts";
import type { ListingsService } from "./listings-service.ts";

/** Listings of a store, and what becomes of them. */
export type ChangingListings = {
  /** What is committed, by key: when it was changed, and the city that tells one change from another. */
  readonly there: ReadonlyMap<string, string>;
  /** Keys that were deleted or are about to be; none is used again. */
  readonly deleted: ReadonlySet<string>;
  /** Insert, update and delete some, in one commit. */
  readonly change: (changes: number) => Promise<void>;
};

/** A change, and what is so once it is committed. */
type Planned = { readonly change: Change; readonly done: () => void };

/** What tells one version of a listing from another. */
export const versionOf = ({ ModificationTimestamp, City }: Readonly<Record<string, unknown>>): string =>
  `${String(ModificationTimestamp)} ${String(City)}`;

const datasets = new Map<unknown, string>(sampleSystems.map(({ name, datasetId }) => [name, datasetId]));

/** The first `count` listings of the benches, as a service has them. */
export function changingListings(
  count: number,
  { commit }: Pick<ListingsService, "commit">,
  seed: number,
): ChangingListings {
  const random = randomFrom(seed);
  const there = new Map<string, string>();
  const deleted = new Set<string>();
  const indexes: number[] = [];
  let time = Date.now();
  for (let index = 0; index < count; index++) {
    const listing = listingAt(index);
    there.set(listingKeyAt(index), versionOf(listing));
    indexes.push(index);
    time = Math.max(time, Date.parse(String(listing["ModificationTimestamp"])));
  }
  let inserted = count;
  let version = 0;

  function write(index: number): Planned {
    // Nothing is changed before what was changed last.
    time = Math.max(time, Date.now());
    const ModificationTimestamp = new Date(time).toISOString();
    const changed = { ...listingAt(index), City: `City ${version++}`, ModificationTimestamp };
    const record = Object.fromEntries(Object.entries(changed).filter(([, value]) => value !== null));
    const datasetId = datasets.get(record["OriginatingSystemName"]) ?? null;
    const done = () => there.set(listingKeyAt(index), versionOf(changed));
    return { change: { resource: "Property", datasetId, record }, done };
  }

  function insert(): Planned {
    indexes.push(inserted);
    return write(inserted++);
  }

  function remove(at: number, index: number): Planned {
    indexes[at] = indexes.at(-1) ?? index;
    indexes.pop();
    const key = listingKeyAt(index);
    deleted.add(key);
    const datasetId = datasets.get(listingAt(index)["OriginatingSystemName"]) ?? null;
    return { change: { resource: "Property", datasetId, removed: [key] }, done: () => there.delete(key) };
  }

  function plan(): Planned {
    const at = random.whole(0, Math.max(0, indexes.length - 1));
    const index = indexes[at];
    if (index === undefined || random.chance(0.3)) return insert();
    return random.chance(0.3) ? remove(at, index) : write(index);
  }

  return {
    there,
    deleted,
    change: async (changes) => {
      const planned = Array.from({ length: changes }, plan);
      await commit(planned.map(({ change }) => change));
      for (const { done } of planned) done();
    },
  };
}
