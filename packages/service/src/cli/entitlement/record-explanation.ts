import type { Entitlement } from "@cadastre/entitlement";
import type { EntitySet } from "@cadastre/odata";
import type { RecordName } from "@cadastre/reso";
import { isActive } from "../../gates/activation.ts";
import { servedRecords } from "../../ingest/served.ts";
import type { Listings } from "../../listings.ts";
import { type GrantCatalog, systemIdOf } from "./grant-catalog.ts";
import { type RecordVisibility, type RowCondition, visibilityOf } from "./record-conditions.ts";

/** Explanation of the visibility of a record for a customer. */
export type RecordExplanation = {
  readonly resource: string;
  readonly key: string;
  readonly visible: boolean;
  readonly systems: readonly string[];
  /** A sentence for each condition that fails. */
  readonly reasons: readonly string[];
};

/** Sentences of the conditions. `place` says where the record lies. */
const sentences: Readonly<
  Record<RowCondition, (resource: string, systems: string, place: string) => string>
> = {
  dataset: (resource, systems) => `dataset: the entitlement does not grant \`${resource}\` of ${systems}`,
  parent: (_resource, systems) =>
    `listing: it is visible with its listing, and the entitlement does not grant \`Property\` of ${systems}`,
  region: (_resource, _systems, place) => `region: ${place}, which is in none of the entitlement's regions`,
  private: (resource) =>
    `private: its \`Permission\` is not for the public, and the grant of \`${resource}\` has no \`"private": true\``,
  lookup: () => "lookup: no visible field has values of this lookup",
};

/** Explains every stored record that has the key, in the sets given. */
export async function explainRecord(
  store: Pick<Listings, "count" | "page" | "builds" | "catalog">,
  sets: readonly EntitySet[],
  key: string,
  document: Entitlement,
  catalog: GrantCatalog,
): Promise<readonly RecordExplanation[]> {
  const found: RecordExplanation[] = [];
  for (const set of sets) {
    const visibility = await visibilityOf(store, set, key, document, catalog);
    if (visibility === undefined) continue;
    const place = visibility.failing.includes("region") ? await placeOf(store, set, key) : "";
    const systems = visibility.datasets.map((dataset) => systemIdOf(catalog, dataset));
    const reasons = [
      ...(isActive(await store.builds.current(set.name)) ? [] : [inactive(set.name)]),
      ...visibility.failing.map((condition) => sentences[condition](set.name, systems.join(", "), place)),
      ...unexplained(visibility),
    ];
    found.push({ resource: set.name, key, visible: reasons.length === 0, systems, reasons });
  }
  return found;
}

const inactive = (resource: string) =>
  `set: no build of \`${resource}\` has passed its gates, so nobody sees the set: \`cadastre gates ${resource}\` says which fail`;

/** The conditions together may fail where each by itself holds, for a record that several systems have. */
const unexplained = ({ visible, failing }: RecordVisibility): readonly string[] =>
  visible || failing.length > 0 ? [] : ["conditions: each holds in some system, and in none all of them"];

const placeFields = ["StateOrProvince", "CountyOrParish", "PostalCode", "OriginatingSystemName"] as const;

/** Property of a resource that has the key of its listing. */
const listingKeys: Readonly<Record<string, string>> = { Media: "ResourceRecordKey", OpenHouse: "ListingKey" };

/** Returns a phrase that says where a record, or its listing, lies. */
async function placeOf(
  store: Pick<Listings, "page" | "catalog">,
  { name, type }: EntitySet,
  key: string,
): Promise<string> {
  const listingKey = listingKeys[name];
  const read = async (resource: string, own: string, fields: readonly string[]) =>
    (await servedRecords(store, resource as RecordName, [own], fields)).get(own);
  const listing = listingKey === undefined ? undefined : (await read(name, key, [listingKey]))?.[listingKey];
  const [subject, resource, own] =
    typeof listing === "string" ? ["its listing", "Property", listing] : ["it", name, key];
  if (resource === name && !placeFields.every((field) => type.properties.has(field)))
    return "it lies where its listing does";
  const record = (await read(resource, own, placeFields)) ?? {};
  const [state, county, zip, system] = placeFields.map((field) => {
    const value = record[field];
    return typeof value === "string" ? value : "none";
  });
  return `${subject} lies in state ${state}, county ${state}/${county}, zip ${zip}, of ${system}`;
}
