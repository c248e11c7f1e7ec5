import { datasetProperty } from "@cadastre/entitlement";
import { sampleCatalog } from "@cadastre/sample/catalog";
import type { StoredResource } from "@cadastre/store";
import { storedResources } from "../src/catalog.ts";
import { listingAt } from "./listing.ts";

const { entitySet } = sampleCatalog;

const dictionary = storedResources(sampleCatalog).find(({ entitySet: { name } }) => name === "Property");
if (dictionary === undefined) throw new RangeError("Property is not stored");

/** Returns the resource Property with only some of its fields, and with the columns and indexes that need no others. */
function narrowed(
  names: readonly string[],
  { columns, indexes, points = [], texts = [], folded = [] }: StoredResource,
): StoredResource {
  const { name, type } = entitySet("Property");
  const properties = names.map((field) => {
    const property = type.properties.get(field);
    if (property === undefined) throw new RangeError(`Property has no field ${field}`);
    return [field, property] as const;
  });
  const kept = new Set([...names, datasetProperty.name]);
  return {
    entitySet: { name, type: { name: type.name, key: type.key, properties: new Map(properties) } },
    columns: columns.filter((column) => kept.has(column)),
    indexes: indexes.filter((index) => index.every((column) => kept.has(column))),
    points: points.filter((point) => kept.has(point)),
    texts: texts.filter((text) => kept.has(text)),
    folded: folded.filter((index) => index.every((column) => kept.has(column))),
  };
}

const names = Object.keys(listingAt(0));

/**
 * Served resources. `listings`: the 64 fields of the floors. `located`: these fields and Coordinates, for the geographic lookup.
 * `dictionary`: all fields of Property, with records of the sample market.
 */
export const resources = {
  listings: narrowed(names, dictionary),
  located: narrowed([...names, "Coordinates"], dictionary),
  dictionary,
} as const satisfies Record<string, StoredResource>;

export type ResourceChoice = keyof typeof resources;
