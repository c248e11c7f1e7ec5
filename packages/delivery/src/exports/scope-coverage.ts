import type { DatasetGrant, Region, ResourceGrant, Scope } from "@cadastre/entitlement";

/** The members of a scope that say which records and fields it shows. They are plain JSON. */
export type ScopeMembers = Pick<Scope, "products" | "channels" | "regions" | "datasets">;

export const membersOf = ({ products, channels, regions, datasets }: ScopeMembers): ScopeMembers => ({
  products,
  channels,
  regions,
  datasets,
});

/**
 * True if the scope `now` shows everything that the scope `before` shows. False also if the two documents alone cannot tell, for example if
 * one grants all fields (`*`) and the other a list.
 */
export function covers(now: ScopeMembers, before: ScopeMembers): boolean {
  return (
    now.channels.file_delivery &&
    before.products.every((product) => now.products.includes(product)) &&
    before.regions.every((region) => now.regions.some((one) => coversRegion(one, region))) &&
    before.datasets.every((dataset) => coversDataset(now.datasets, dataset))
  );
}

const coversRegion = (now: Region, before: Region): boolean =>
  now.kind === "national" || (now.kind === before.kind && now.value === before.value);

function coversDataset(all: readonly DatasetGrant[], { dataset_id, resources }: DatasetGrant): boolean {
  const now = all.find((dataset) => dataset.dataset_id === dataset_id)?.resources ?? {};
  return Object.entries(resources).every(([name, before]) => coversResource(now[name], before));
}

function coversResource(now: ResourceGrant | undefined, before: ResourceGrant): boolean {
  if (now === undefined || (before.private && !now.private) || (before.contact && !now.contact)) return false;
  const masks = Object.entries(now.masks ?? {});
  return (
    coversFields(now.fields, before.fields) &&
    masks.every(([field, mask]) => JSON.stringify(before.masks?.[field]) === JSON.stringify(mask))
  );
}

const coversFields = (now: ResourceGrant["fields"], before: ResourceGrant["fields"]): boolean =>
  now === "*" || before === "*" ? now === before : before.every((field) => now.includes(field));
