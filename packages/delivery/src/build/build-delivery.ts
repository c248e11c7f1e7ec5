import { join } from "node:path";
import type { Scope } from "@cadastre/entitlement";
import { type ManifestPart, sealManifest } from "@cadastre/manifest";
import { DeliveryError } from "../errors.ts";
import { type Pinned, readPinned, requirePinnedSchema } from "../exports/pinned.ts";
import type { JobTrace } from "../job-trace.ts";
import type { Delivery, DeliveryPart } from "../ledger/delivery.ts";
import type { Claim } from "../ledger/queue.ts";
import { writing } from "../parts/fault.ts";
import { requireBound } from "../profiles/narrowed-profile.ts";
import { type DeliveredDataset, deliveredDatasets, type OutputProfile } from "../profiles/profile.ts";
import { manifestOf } from "./manifest.ts";
import type { WorkerMeans, WorkerSettings } from "./options.ts";
import { contentsOf, datasetStart, type PartStart, type PartsOf } from "./part-text.ts";
import { type WrittenPart, writePart } from "./write-part.ts";

/**
 * Returns the number of a delivery's part by its ordinal, from 0 on. Numbers are names: they are neither contiguous nor in order, so that
 * no client relies on either. Neighbours are swapped, then spread: 10, 3, 24, 17, … The result is never 0, which stands for the manifest.
 */
export const partNumber = (ordinal: number): number =>
  7 * (ordinal % 2 === 0 ? ordinal + 1 : ordinal - 1) + 3;

/** Returns the file name of a part, such as `listing-00010.jsonl.gz` or `listing-00003.removals.jsonl.gz`. */
export function partName(
  { dataset, content }: Pick<ManifestPart, "dataset" | "content">,
  number: number,
  { format, compression }: Pick<OutputProfile, "format" | "compression">,
): string {
  const name = `${dataset}-${String(number).padStart(5, "0")}`;
  return `${name}${content === "rows" ? "" : ".removals"}.${format}${compression === "gzip" ? ".gz" : ""}`;
}

/** Dependencies for building a delivery. */
export type BuildOptions = Omit<WorkerMeans, "name"> &
  Pick<WorkerSettings, "clock" | "at"> & {
    readonly stages: Pick<JobTrace, "timeAsync">;
  };

/** A delivery, and the claim under which a worker has it. */
export type Claimed = { readonly claim: Claim; readonly delivery: Delivery };

/**
 * Builds the rest of a claimed delivery, after its last finished part, and seals it.
 *
 * @throws errors of the build, and `StoreError` `lease_lost` if another worker has taken over
 */
export async function buildDelivery(
  options: BuildOptions,
  { claim, delivery }: Claimed,
  signal: AbortSignal,
): Promise<void> {
  const { ledger, source, at, stages } = options;
  const pinned = readPinned(delivery.pinned);
  const scope = await stages.timeAsync("authorize", () => requireScope(options, delivery));
  const datasets = deliveredDatasets(source, scope, pinned.profile);
  requirePinnedSchema(pinned, datasets);
  requireBound(source, scope, pinned.profile);
  await requireBasis(options, pinned, datasets);
  const finished = [...(await ledger.parts(delivery.id))];
  for (const content of contentsOf(delivery, datasets, pinned.profile)) {
    const work = { claim, delivery, pinned, scope, content };
    for (let start = startAfter(finished, content); start !== null; ) {
      const part = await buildPart(options, { ...work, start, ordinal: finished.length }, signal);
      if (part === undefined) break;
      finished.push(part);
      start = startAfter(finished, content);
    }
  }
  await at("before_manifest");
  await stages.timeAsync("seal", async () => {
    const manifest = await sealManifest(manifestOf(delivery, pinned, datasets, finished));
    const signature = JSON.stringify(await options.sign(manifest.bytes, delivery));
    await requireScope(options, delivery);
    await requireBasis(options, pinned, datasets);
    await at("before_seal");
    const text = new TextDecoder().decode(manifest.bytes);
    await ledger.queue.seal(claim, { text, sha256: manifest.sha256, signature }, options.clock());
  });
  await at("after_manifest");
}

/**
 * Returns the customer's present scope, if it is the one that the delivery was created under.
 *
 * @throws {DeliveryError} `entitlement_changed`
 */
export async function requireScope(
  { scopeOf }: Pick<WorkerMeans, "scopeOf">,
  { customer, scopeSha256 }: Delivery,
): Promise<Scope> {
  const scope = await scopeOf(customer);
  if (scope?.scopeSha256 !== scopeSha256) throw new DeliveryError("entitlement_changed");
  return scope;
}

/**
 * Checks that the inputs without a checkpoint (see `ExportSource.basis`) are still those of the delivery's generation.
 *
 * @throws {DeliveryError} `basis_changed`
 */
async function requireBasis(
  { source }: Pick<BuildOptions, "source">,
  { basis }: Pinned,
  datasets: readonly DeliveredDataset[],
): Promise<void> {
  if (basis === null) return;
  const now = (await source.basis?.(datasets.map(({ name }) => name))) ?? "";
  if (now !== basis) throw new DeliveryError("basis_changed");
}

/** Returns the start of the next part of a content; null if it has all of its parts. */
export function startAfter(
  finished: readonly DeliveryPart[],
  { dataset, changes }: PartsOf,
): PartStart | null {
  const last = finished.findLast((part) => {
    const entry = JSON.parse(part.entry) as ManifestPart;
    return entry.dataset === dataset && entry.content === (changes?.content ?? "rows");
  });
  if (last === undefined) return datasetStart;
  return last.next === null ? null : (JSON.parse(last.next) as PartStart);
}

type PartWork = Claimed & {
  readonly pinned: Pinned;
  readonly scope: Scope;
  readonly content: PartsOf;
  readonly start: PartStart;
  readonly ordinal: number;
};

/** Builds one part and records it in the ledger; undefined if there is no record from its start on. */
async function buildPart(
  { ledger, source, parts, at, stages }: BuildOptions,
  { claim, delivery, pinned: { profile }, scope, content, start, ordinal }: PartWork,
  signal: AbortSignal,
): Promise<DeliveryPart | undefined> {
  await at("before_part_write");
  const file = join(await parts.stage(claim), String(ordinal));
  const checkpoint = delivery.toCheckpoint;
  const request = { source, profile, scope, ...content, checkpoint, start };
  const written = await stages.timeAsync("write", () => writing(() => writePart(request, file, signal)));
  if (written === undefined) return undefined;
  const part = partOf(written, ordinal, partName(written.facts, partNumber(ordinal), profile));
  await at("after_part_write");
  await ledger.queue.announce(claim, part.sha256);
  await at("after_part_announce");
  await stages.timeAsync("store", () => parts.put(file, part));
  await at("before_part_commit");
  try {
    await stages.timeAsync("record", () => ledger.queue.addPart(claim, part));
  } catch (error) {
    await ledger.queue.abandon(part.sha256);
    throw error;
  }
  await at("after_part_commit");
  return part;
}

function partOf({ facts, end }: WrittenPart, ordinal: number, name: string): DeliveryPart {
  const number = partNumber(ordinal);
  const entry: ManifestPart = { number, name, ...facts };
  return {
    ordinal,
    number,
    dataset: facts.dataset,
    sha256: facts.sha256,
    byteLength: facts.byteLength,
    rows: facts.rowCount,
    next: end === null ? null : JSON.stringify(end),
    entry: JSON.stringify(entry),
  };
}
