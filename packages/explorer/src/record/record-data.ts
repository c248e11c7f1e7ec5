import type { ReadonlySignal } from "@preact/signals";
import { address } from "../address/current-address.ts";
import type { JsonObject } from "../api/json.ts";
import { isRecord } from "../api/json.ts";
import { collectionPath, recordPath, requestPage } from "../api/odata.ts";
import { requestJson } from "../api/request.ts";
import { seenEntitySet } from "../model/service-model.ts";
import { firstModel, shownSet } from "../query/current-query.ts";
import { quoteText } from "../query/literals.ts";
import { type Loaded, loaded } from "../query/loaded.ts";
import { firstKey, secondKey } from "../session/api-keys.ts";

const asObject = (body: unknown): JsonObject => (isRecord(body) ? body : {});

function requestRecord(
  key: typeof firstKey,
  abort: AbortSignal,
): Promise<JsonObject | undefined> | undefined {
  const { entitySet, record } = address.value;
  const apiKey = key.value?.apiKey;
  if (record === "" || apiKey === undefined) return undefined;
  return seenEntitySet(apiKey, entitySet).then(async (set) => {
    if (set === undefined) return undefined;
    const path = `${recordPath(set.name, record)}?$ignorenulls=true`;
    return asObject(await requestJson({ path, apiKey, signal: abort }));
  });
}

/** The record that is open, as each key sees it. */
export const openRecord = loaded((abort) => requestRecord(firstKey, abort));
export const openRecordOfSecond = loaded((abort) => requestRecord(secondKey, abort));

type Related = {
  readonly entitySet: string;
  /** Options of the request. Undefined: the record names nothing. */
  readonly options: (record: JsonObject) => Readonly<Record<string, string>> | undefined;
};

const byEquality =
  (own: string, theirs: string, more: Readonly<Record<string, string>>): Related["options"] =>
  (record) => {
    const value = record[own];
    return typeof value === "string" ? { $filter: `${theirs} eq ${quoteText(value)}`, ...more } : undefined;
  };

/** Records that belong to a listing, by the entity set that has them. */
const relations = {
  media: {
    entitySet: "Media",
    options: byEquality("ListingKey", "ResourceRecordKey", { $orderby: "Order", $top: "60" }),
  },
  agent: { entitySet: "Member", options: byEquality("ListAgentKey", "MemberKey", { $top: "1" }) },
  office: { entitySet: "Office", options: byEquality("ListOfficeKey", "OfficeKey", { $top: "1" }) },
  openHouses: { entitySet: "OpenHouse", options: byEquality("ListingKey", "ListingKey", { $top: "20" }) },
  sameProperty: {
    entitySet: "Property",
    options: ({ Placekey: placekey }) =>
      typeof placekey === "string" ? { placekey, $ignorenulls: "true", $top: "100" } : undefined,
  },
} as const satisfies Readonly<Record<string, Related>>;

/** Fields of the other listings of a property: their history. */
const historyFields = [
  "ListingKey",
  "OriginatingSystemName",
  "StandardStatus",
  "PropertyType",
  "ListPrice",
  "ClosePrice",
  "ListingContractDate",
  "CloseDate",
  "ModificationTimestamp",
];

function relatedRecords(relation: keyof typeof relations): ReadonlySignal<Loaded<readonly JsonObject[]>> {
  return loaded((abort) => {
    const { entitySet, options } = relations[relation];
    const record = openRecord.value.value;
    const apiKey = firstKey.value?.apiKey;
    const set = firstModel.value.value?.entitySets.find(({ name }) => name === entitySet);
    if (record === undefined || apiKey === undefined || set === undefined) return undefined;
    if (shownSet.value?.name !== "Property") return undefined;
    const asked = options(record);
    if (asked === undefined) return undefined;
    const select =
      relation === "sameProperty"
        ? { $select: historyFields.filter((name) => set.type.properties.has(name)).join(",") }
        : {};
    return requestPage(collectionPath(entitySet, { ...asked, ...select }), apiKey, abort).then(
      ({ records }) => records,
    );
  });
}

/** Records related to the one that is open. Undefined where the key does not see the set, or the record names none. */
export const related = {
  media: relatedRecords("media"),
  agent: relatedRecords("agent"),
  office: relatedRecords("office"),
  openHouses: relatedRecords("openHouses"),
  sameProperty: relatedRecords("sameProperty"),
};
