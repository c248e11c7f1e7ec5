import type { EntitySet } from "@cadastre/odata";
import { computed, effect, type Signal, signal } from "@preact/signals";
import { address } from "../address/current-address.ts";
import { isRecord, type JsonObject, memberText } from "../api/json.ts";
import { collectionPath, requestPage } from "../api/odata.ts";
import { seenEntitySet } from "../model/service-model.ts";
import type { LonLat } from "../query/area-terms.ts";
import { firstKey, secondKey } from "../session/api-keys.ts";
import { type ListingPoint, mergePoints } from "./merged-points.ts";

/** Points of a query as far as they are loaded. */
export type LoadedPoints = {
  readonly points: readonly ListingPoint[];
  /** Records that were read, also those without a place. */
  readonly read: number;
  readonly count: number | undefined;
  readonly isLoading: boolean;
  /** True if there are too many to read, so that the service counts them in cells. */
  readonly asCells: boolean;
};

/** Points that a map shows one by one. The service counts more of them in cells. */
export const mostPoints = 20_000;

const pageSize = 1000;

const none: LoadedPoints = { points: [], read: 0, count: undefined, isLoading: false, asCells: false };

/** Properties that a place is read from, of those that the key sees. Undefined: it sees no place. */
export function placeFields({ type }: EntitySet): readonly string[] | undefined {
  if (type.properties.has("Latitude") && type.properties.has("Longitude")) return ["Latitude", "Longitude"];
  return type.properties.has("Coordinates") ? ["Coordinates"] : undefined;
}

function placeOf(record: JsonObject): LonLat | undefined {
  const [longitude, latitude] = [record["Longitude"], record["Latitude"]];
  if (typeof longitude === "number" && typeof latitude === "number") return [longitude, latitude];
  const point = record["Coordinates"];
  const coordinates: unknown = isRecord(point) ? point["coordinates"] : undefined;
  if (!Array.isArray(coordinates)) return undefined;
  return [Number(coordinates[0]), Number(coordinates[1])];
}

function pointOf(record: JsonObject, keyName: string): readonly ListingPoint[] {
  const place = placeOf(record);
  if (place === undefined) return [];
  const price = record["ListPrice"];
  return [
    {
      key: String(record[keyName]),
      place,
      price: typeof price === "number" ? price : undefined,
      status: memberText(record, "StandardStatus"),
      seenBy: "both",
    },
  ];
}

async function load(
  { entitySet, filter }: typeof address.value,
  apiKey: string,
  into: Signal<LoadedPoints>,
  abort: AbortSignal,
): Promise<void> {
  const set = await seenEntitySet(apiKey, entitySet);
  if (abort.aborted) return;
  const places = set && placeFields(set);
  if (set === undefined || places === undefined) {
    into.value = none;
    return;
  }
  const keyName = set.type.key[0] ?? "";
  const shown = ["ListPrice", "StandardStatus"].filter((name) => set.type.properties.has(name));
  let path: string | undefined = collectionPath(set.name, {
    $filter: filter,
    $select: [keyName, ...places, ...shown].join(","),
    $count: "true",
    $top: String(pageSize),
  });
  let points: ListingPoint[] = [];
  let read = 0;
  let count: number | undefined;
  while (path !== undefined) {
    const page = await requestPage(path, apiKey, abort);
    if (abort.aborted) return;
    points = [...points, ...page.records.flatMap((record) => pointOf(record, keyName))];
    read += page.records.length;
    count ??= page.count;
    path = page.next;
    if (count !== undefined && count > mostPoints) {
      into.value = { ...none, count, asCells: true };
      return;
    }
    const isLoading = path !== undefined;
    // The first page is shown at once; the index of the points is not made anew for each of the others.
    if (!isLoading || read === pageSize || read % (5 * pageSize) === 0)
      into.value = { points, read, count, isLoading, asCells: false };
  }
}

const ofFirst = signal(none);
const ofSecond = signal(none);

/** True while a map is on the page: only then are points asked for. */
export const mapIsShown = signal(false);

function follow(into: Signal<LoadedPoints>, key: typeof firstKey): void {
  effect(() => {
    const apiKey = key.value?.apiKey;
    const query = address.value;
    if (apiKey === undefined || !mapIsShown.value) {
      into.value = none;
      return undefined;
    }
    const controller = new AbortController();
    into.value = { ...into.peek(), isLoading: true };
    load(query, apiKey, into, controller.signal).catch(() => {
      // The table tells why.
      if (!controller.signal.aborted) into.value = none;
    });
    return () => controller.abort();
  });
}

follow(ofFirst, firstKey);
follow(ofSecond, secondKey);

/** Points of the map, under one key or two. */
export const listingPoints = computed<LoadedPoints>(() => {
  const first = ofFirst.value;
  if (secondKey.value === undefined) return first;
  const second = ofSecond.value;
  return {
    ...first,
    points: mergePoints(first.points, second.points),
    isLoading: first.isLoading || second.isLoading,
  };
});
