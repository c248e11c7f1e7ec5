import { restrict, visibleEntitySet } from "@cadastre/entitlement";
import { bindQuery, parseSelect, type Row } from "@cadastre/odata";
import { allOf } from "@cadastre/odata/tree";
import type { RecordName } from "@cadastre/reso";
import { systemScope } from "../identity/system-scope.ts";
import type { Listings } from "../listings.ts";
import { hasKeyOf } from "./candidate-query.ts";

/** Number of keys in one query. */
const groupSize = 500;

/** Reads the given fields of the served records with these keys. Keys without a record are left out of the map. */
export async function servedRecords(
  store: Pick<Listings, "page" | "catalog">,
  resource: RecordName,
  keys: readonly string[],
  fields: readonly string[],
): Promise<ReadonlyMap<string, Row>> {
  const set = store.catalog.entitySet(resource);
  const scope = systemScope(store.catalog);
  const [key = ""] = set.type.key;
  const found = new Map<string, Row>();
  for (let start = 0; start < keys.length; start += groupSize) {
    const parts = { select: parseSelect([key, ...fields].join()), top: groupSize };
    const query = bindQuery(parts, visibleEntitySet(set, scope));
    const filter = allOf(hasKeyOf(set, keys.slice(start, start + groupSize)), query.filter);
    const { records, release } = await store.page(restrict({ ...query, filter }, scope));
    const text = Buffer.from(records).toString();
    release?.();
    for (const record of JSON.parse(`[${text}]`) as readonly Row[]) found.set(String(record[key]), record);
  }
  return found;
}
