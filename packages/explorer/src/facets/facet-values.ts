import type { EntitySet, StructuralProperty } from "@cadastre/odata";
import { computed, signal } from "@preact/signals";
import { address } from "../address/current-address.ts";
import { isRecord, memberText } from "../api/json.ts";
import { collectionPath, requestCount, requestPage } from "../api/odata.ts";
import { requestJson } from "../api/request.ts";
import { lookupNameOf } from "../model/service-model.ts";
import { firstModel, shownSet } from "../query/current-query.ts";
import { filterOf, termsOf } from "../query/filter-terms.ts";
import { quoteText } from "../query/literals.ts";
import { loaded } from "../query/loaded.ts";
import { firstRecords } from "../query/table-records.ts";
import { firstKey } from "../session/api-keys.ts";

/** A value of a field, and how many records of the query have it. */
type FacetValue = { readonly value: string; readonly count: number };

export type Facet = { readonly field: string; readonly values: readonly FacetValue[] };

/** Fields whose values are counted, by entity set. */
const facetFields: Readonly<Record<string, readonly string[]>> = {
  Property: ["StandardStatus", "OriginatingSystemName", "PropertyType"],
  Media: ["MediaCategory", "OriginatingSystemName"],
  Member: ["MemberStatus", "MemberType", "OriginatingSystemName"],
  Office: ["OfficeStatus", "OfficeType", "OriginatingSystemName"],
};

/** Values of a facet at most. */
const mostValues = 24;
/** Counts on their way at a time. */
const together = 2;

const lists = new Map<string, Promise<readonly string[]>>();

async function systemNames(apiKey: string): Promise<readonly string[]> {
  const body = await requestJson({ path: "v1/account/resources", apiKey });
  const data = isRecord(body) && isRecord(body["data"]) ? body["data"] : {};
  const datasets = Array.isArray(data["datasets"]) ? data["datasets"].filter(isRecord) : [];
  return datasets.map((one) => String(one["originating_system_name"]));
}

async function lookupValues(lookupName: string, apiKey: string): Promise<readonly string[]> {
  const path = collectionPath("Lookup", {
    $filter: `LookupName eq ${quoteText(lookupName)}`,
    $select: "LookupValue",
    $top: "200",
  });
  const { records } = await requestPage(path, apiKey, undefined);
  return records.map((record) => String(record["LookupValue"]));
}

/** Returns the values that a field may have. Empty if no list of them is known. */
function facetCandidates(set: EntitySet, field: string, apiKey: string): Promise<readonly string[]> {
  const property = set.type.properties.get(field);
  const lookupName = property && lookupNameOf(property);
  const hasLookups = firstModel.peek().value?.entitySets.some(({ name }) => name === "Lookup") === true;
  const id = `${apiKey} ${lookupName ?? field}`;
  const request = () => {
    if (field === "OriginatingSystemName") return systemNames(apiKey);
    return lookupName !== undefined && hasLookups ? lookupValues(lookupName, apiKey) : Promise.resolve([]);
  };
  const values = lists.get(id) ?? request();
  lists.set(id, values);
  values.catch(() => lists.delete(id));
  return values;
}

/** Most values that an editor suggests. */
const mostSuggested = 50;

/** Returns values of a field that begin with a text: of its lookup, or else of records that the key sees. */
export async function suggestedValues(
  set: EntitySet,
  property: StructuralProperty,
  text: string,
  apiKey: string,
): Promise<readonly string[]> {
  const wanted = text.toLowerCase();
  const listed = await facetCandidates(set, property.name, apiKey);
  if (listed.length > 0)
    return listed.filter((value) => value.toLowerCase().startsWith(wanted)).slice(0, mostSuggested);
  if (text === "" || property.collection || property.type !== "Edm.String") return [];
  const path = collectionPath(set.name, {
    $filter: `startswith(${property.name},${quoteText(text)})`,
    $select: property.name,
    $top: "200",
  });
  const { records } = await requestPage(path, apiKey, undefined);
  return [...new Set(records.map((record) => memberText(record, property.name)))].toSorted();
}

/** Returns the filter without an equality of a field, so that its other values are counted too. */
const withoutField = (filter: string, field: string): readonly string[] =>
  termsOf(filter).filter((term) => !term.startsWith(`${field} eq `));

async function facetOf(
  set: EntitySet,
  field: string,
  filter: string,
  apiKey: string,
  abort: AbortSignal,
): Promise<Facet> {
  const rest = withoutField(filter, field);
  const counted: FacetValue[] = [];
  const waiting = (await facetCandidates(set, field, apiKey)).slice(0, mostValues);
  const countNext = async (): Promise<void> => {
    for (let value = waiting.shift(); value !== undefined; value = waiting.shift()) {
      const narrowed = filterOf([...rest, `${field} eq ${quoteText(value)}`]);
      counted.push({ value, count: await requestCount(set.name, narrowed, apiKey, abort) });
    }
  };
  await Promise.all(Array.from({ length: together }, countNext));
  const values = counted.filter(({ count }) => count > 0).toSorted((a, b) => b.count - a.count);
  return { field, values };
}

/** Milliseconds beyond which a query is too dear to be asked once for each value. */
const slow = 4000;

/** Filter whose values somebody wants counted although it is slow. */
export const countedAnyway = signal<string | undefined>(undefined);

/** True if values are not counted, because the query is slow. */
export const isTooSlow = computed(
  () =>
    (firstRecords.state.value.time ?? 0) > slow &&
    countedAnyway.value !== address.value.filter &&
    !firstRecords.state.value.isLoading,
);

/** Counts of values of the query, for fields that most people narrow by. */
export const facets = loaded((abort) => {
  const set = shownSet.value;
  const key = firstKey.value;
  const { filter } = address.value;
  // The table comes first.
  if (set === undefined || key === undefined || firstRecords.state.value.isLoading) return undefined;
  if (firstRecords.state.value.error !== undefined || isTooSlow.value) return undefined;
  const fields = (facetFields[set.name] ?? []).filter((field) => set.type.properties.has(field));
  return Promise.all(fields.map((field) => facetOf(set, field, filter, key.apiKey, abort)));
});
