import { join } from "node:path";
import type { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import type { Scope } from "@cadastre/entitlement";
import { type ManifestPart, sealManifest } from "@cadastre/manifest";
import { DeliveryError } from "../errors.ts";
import { type Pinned, readPinned, requirePinnedSchema } from "../exports/pinned.ts";
import { requireIntact } from "../exports/sealed-manifest.ts";
import type { Delivery, DeliveryPart } from "../ledger/delivery.ts";
import type { ClaimedDamage } from "../ledger/part-damage.ts";
import { isDamage } from "../parts/damage.ts";
import { writing } from "../parts/fault.ts";
import type { PartStore } from "../parts/part-store.ts";
import { requireBound } from "../profiles/narrowed-profile.ts";
import { type DeliveredDataset, deliveredDatasets } from "../profiles/profile.ts";
import { type BuildOptions, startAfter } from "./build-delivery.ts";
import { manifestOf } from "./manifest.ts";
import { contentsOf } from "./part-text.ts";
import { type PartRequest, writePart } from "./write-part.ts";

type RebuildOptions = Omit<BuildOptions, "stages">;

/**
 * Rebuilds one damaged part or manifest of a delivery from the records of its checkpoint. The result must have the same hash, and
 * replaces the damaged file by a rename. An intact part is left unchanged.
 *
 * @throws {DeliveryError} `part_lost` if the result would have another hash, and every error of building a part
 */
export async function rebuild(
  options: RebuildOptions,
  { claim, delivery, part }: ClaimedDamage,
  signal: AbortSignal,
): Promise<void> {
  const { ledger, at } = options;
  if (part === null) {
    await rebuildManifest(options, { claim, delivery });
  } else {
    if (!(await isGood(options.parts, part, signal)))
      await rebuildPart(options, { claim, delivery, part }, signal);
    await at("after_part_replace");
    try {
      await ledger.damage.clear(claim);
    } catch (error) {
      // If the delivery has ended meanwhile, nothing else refers to the bytes.
      await ledger.queue.abandon(part.sha256);
      throw error;
    }
  }
  await at("after_rebuild");
}

type DamagedPart = Pick<ClaimedDamage, "claim" | "delivery"> & { readonly part: DeliveryPart };

/** True if the stored part is intact: it was replaced meanwhile, or was unreadable only for a moment. */
async function isGood(parts: PartStore, part: DeliveryPart, signal: AbortSignal): Promise<boolean> {
  let stream: Readable | undefined;
  try {
    stream = (await parts.open(part)).stream();
    await finished(stream.resume(), { signal, writable: false });
    return true;
  } catch (error) {
    if (isDamage(error)) return false;
    throw error;
  } finally {
    stream?.destroy();
  }
}

async function rebuildPart(
  options: RebuildOptions,
  { claim, delivery, part }: DamagedPart,
  signal: AbortSignal,
): Promise<void> {
  const { ledger, parts, at } = options;
  const of = await ingredientsOf(options, delivery);
  const earlier = (await ledger.parts(delivery.id)).filter(({ ordinal }) => ordinal < part.ordinal);
  await at("before_part_write");
  const file = join(await parts.stage(claim), String(part.ordinal));
  const request = requestOf(options, delivery, of, part, earlier);
  const written = await writing(() => writePart(request, file, signal));
  if (written?.facts.sha256 !== part.sha256)
    throw new DeliveryError("part_lost", `${part.sha256} is built as ${written?.facts.sha256 ?? "no part"}`);
  await at("after_part_write");
  await parts.replace(file, part);
}

async function rebuildManifest(
  options: RebuildOptions,
  { claim, delivery }: Pick<ClaimedDamage, "claim" | "delivery">,
): Promise<void> {
  const { ledger } = options;
  const { manifestSha256 } = delivery;
  const stored = await ledger.manifest(delivery.id);
  if (stored === undefined || manifestSha256 === null) throw new DeliveryError("delivery_expired");
  try {
    requireIntact(stored, manifestSha256);
    return await ledger.damage.clear(claim);
  } catch (error) {
    if (!isDamage(error)) throw error;
  }
  const { pinned, datasets } = await ingredientsOf(options, delivery);
  const manifest = await sealManifest(
    manifestOf(delivery, pinned, datasets, await ledger.parts(delivery.id)),
  );
  const { bytes, sha256 } = manifest;
  if (sha256 !== manifestSha256)
    throw new DeliveryError("part_lost", `the manifest ${manifestSha256} is built as ${sha256}`);
  const signature = JSON.stringify(await options.sign(bytes, delivery));
  const text = new TextDecoder().decode(bytes);
  await ledger.damage.replaceManifest(claim, delivery.id, { text, sha256, signature });
}

type Ingredients = {
  readonly pinned: Pinned;
  readonly scope: Scope;
  readonly datasets: readonly DeliveredDataset[];
};

/** Returns the inputs that a delivery was built from. @throws {DeliveryError} `part_lost` if they have changed */
async function ingredientsOf(
  { source, scopeOf }: Pick<BuildOptions, "source" | "scopeOf">,
  { customer, scopeSha256, pinned: text }: Delivery,
): Promise<Ingredients> {
  const pinned = readPinned(text);
  const scope = await scopeOf(customer);
  if (scope === undefined) throw new DeliveryError("entitlement_expired");
  if (scope.scopeSha256 !== scopeSha256) throw new DeliveryError("part_lost", "the entitlement has changed");
  const datasets = deliveredDatasets(source, scope, pinned.profile);
  requirePinnedSchema(pinned, datasets);
  requireBound(source, scope, pinned.profile);
  return { pinned, scope, datasets };
}

/** Returns the request to write a part again: everything that its bytes depend on. */
function requestOf(
  { source }: Pick<BuildOptions, "source">,
  delivery: Delivery,
  { pinned: { profile }, scope, datasets }: Ingredients,
  part: DeliveryPart,
  earlier: readonly DeliveryPart[],
): PartRequest {
  const entry = JSON.parse(part.entry) as ManifestPart;
  const content = contentsOf(delivery, datasets, profile).find(
    ({ dataset, changes }) => dataset === entry.dataset && (changes?.content ?? "rows") === entry.content,
  );
  const start = content && startAfter(earlier, content);
  if (content === undefined || start == null)
    throw new DeliveryError("part_lost", "the ledger does not say where the part starts");
  return { source, profile, scope, ...content, checkpoint: delivery.toCheckpoint, start };
}
