import { createHash } from "node:crypto";
import type { Catalog, RecordName } from "@cadastre/reso";
import { perCatalog } from "../catalog.ts";
import type { Source } from "./sources.ts";

const known = perCatalog((_catalog) => new Map<string, string>());

/**
 * Returns a hash of the fields of a resource that a source may give, and of the values of their lookups. Records that were read under another
 * hash are read again: what was rejected or dropped then may be taken now.
 */
export function acceptedValuesHash(
  catalog: Catalog,
  resource: RecordName,
  { name }: Pick<Source, "name">,
): string {
  const hashes = known(catalog);
  const id = `${resource} ${name}`;
  const hash = hashes.get(id) ?? hashOf(catalog, resource, name);
  hashes.set(id, hash);
  return hash;
}

function hashOf({ fieldsOf, lookups }: Catalog, resource: RecordName, name: string): string {
  const hash = createHash("sha256");
  const fields = fieldsOf(resource).filter(({ source }) => source === null || source === name);
  for (const field of fields) {
    const { type, collection, nullable, maxLength, precision, scale, lookup, lookupStatus } = field;
    const facets = { type, collection, nullable, maxLength, precision, scale, lookup, lookupStatus };
    hash.update(`${JSON.stringify([field.name, facets])}\n`);
  }
  for (const lookup of new Set(fields.map((field) => field.lookup)))
    if (lookup !== undefined) {
      const values = [...lookups.values(lookup), ...lookups.ownValues(name, lookup)];
      hash.update(`${JSON.stringify([lookup, values.map(({ value }) => value)])}\n`);
    }
  return hash.digest("hex").slice(0, 16);
}
