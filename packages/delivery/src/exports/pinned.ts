import type { DatasetGrant, Region, ResourceGrant, Scope } from "@cadastre/entitlement";
import type { Manifest, ManifestDataset } from "@cadastre/manifest";
import { DeliveryError } from "../errors.ts";
import type { Delivery } from "../ledger/delivery.ts";
import { choiceOf, type DeliveredDataset, type OutputProfile, profileOf } from "../profiles/profile.ts";
import { type DeliverySchema, schemaDocument } from "../profiles/schema-document.ts";

/** Contents of a delivery's manifest that the ledger has no columns for. They are fixed when the delivery is created. */
export type Pinned = {
  readonly profile: OutputProfile;
  readonly schema: DeliverySchema;
  /** Public names of the checkpoints. The numbers themselves would reveal how many changes happened outside the customer's scope. */
  readonly window: Pick<Manifest["window"], "fromCheckpoint" | "toCheckpoint">;
  /** Time of the state that is delivered, in milliseconds since 1970. Absent if it is that of the delivery's creation. */
  readonly asOf?: number;
  /** The scope that the delivery was created under. */
  readonly scope: ScopeMembers;
  /** The value of `ExportSource.basis` that the records are made with, if later deltas build on this delivery; null otherwise. */
  readonly basis: string | null;
  readonly sources: NonNullable<ManifestDataset["sources"]>;
  readonly attribution: Manifest["attribution"];
  /** Documents beside the parts. Absent in deliveries of releases that had none. */
  readonly documents?: NonNullable<Manifest["documents"]>;
};

/**
 * Serializes pinned contents for {@link readPinned}. The profile of a delivery with a filter, or of an earlier state, has another name there: a
 * worker of a release that knows neither fails to read it, and leaves the delivery to another worker.
 */
export const pinnedText = ({ profile, ...pinned }: Pinned): string => {
  const isKnownBefore = profile.filter === undefined && pinned.asOf === undefined;
  return JSON.stringify(isKnownBefore ? { profile, ...pinned } : { filtered: profile, ...pinned });
};

type PinnedText = Omit<Pinned, "profile"> & {
  readonly profile?: OutputProfile;
  readonly filtered?: OutputProfile;
};

function parsePinned(text: string): Pinned {
  const { filtered, ...pinned } = JSON.parse(text) as PinnedText;
  const profile = filtered ?? pinned.profile;
  if (profile === undefined) throw new TypeError("a delivery has a profile");
  return { ...pinned, profile };
}

/** Returns the output profile of a delivery, as it was when the delivery was created. */
export const pinnedProfile = (text: string): OutputProfile => parsePinned(text).profile;

/** Returns the public name of the checkpoint at which a delivery's window ends. */
export const windowEndOf = (text: string): string => (JSON.parse(text) as Pinned).window.toCheckpoint;

/** Returns the time of the state that a delivery has, in milliseconds since 1970. */
export const statedTime = ({ pinned, created }: Pick<Delivery, "pinned" | "created">): number =>
  parsePinned(pinned).asOf ?? created;

/** Returns the scope that a delivery was created under. */
export const grantedBy = (text: string): ScopeMembers => (JSON.parse(text) as Pinned).scope;

/**
 * Parses pinned contents.
 *
 * @throws {DeliveryError} `profile_changed` if this program would write other bytes for the profile than the one that created the delivery
 */
export function readPinned(text: string): Pinned {
  const pinned = parsePinned(text);
  const now = profileOf(choiceOf(pinned.profile));
  if (now.sha256 !== pinned.profile.sha256) throw new DeliveryError("profile_changed", now.encoder);
  return pinned;
}

/**
 * Checks that the source still has the columns that a delivery was created with.
 *
 * @throws {DeliveryError} `schema_changed`
 */
export function requirePinnedSchema(
  { profile, schema }: Pinned,
  datasets: readonly DeliveredDataset[],
): void {
  if (schemaDocument(profile, datasets, schema.sha256).sha256 !== schema.sha256)
    throw new DeliveryError("schema_changed");
}

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
