import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import type { StoredDelivery } from "@cadastre/client";
import type { Catalog, RecordName } from "@cadastre/reso";
import type { DataFolder } from "../data/data-folder.ts";
import { allPassed, publishGated } from "../gates/publication.ts";
import { excessiveIn } from "../gates/shrink.ts";
import type { BatchCheck } from "../ingest/check-batch.ts";
import { stageEmptySet } from "../ingest/full-set.ts";
import { type Ingest, type IngestMode, ingest } from "../ingest/ingest.ts";
import { IngestError } from "../ingest/ingest-error.ts";
import { withInput } from "../ingest/input.ts";
import type { SourceMapping } from "../ingest/mapping.ts";
import { noRejectLimit, rejectLimit } from "../ingest/reject-limit.ts";
import { rejectsEnding } from "../ingest/rejects.ts";
import { roundingOf } from "../ingest/rounding.ts";
import { sourceNamed } from "../ingest/sources.ts";
import { keyFieldOfDataset, type ReceivedDataset, receivedDatasets } from "./received-datasets.ts";
import { type SplitRecords, splitRemovals, splitRows, type TakenSystems } from "./split-records.ts";

/** Services and limits of a receipt. */
export type ReceiptOptions = {
  readonly store: Ingest["store"];
  readonly crosswalk: BatchCheck["crosswalk"];
  readonly folder: Pick<DataFolder, "path">;
  /** Systems whose records are taken. */
  readonly taken: TakenSystems;
  /** True if records of other systems are left out; false if they are an error. */
  readonly leavesOut: boolean;
  /** Ids of the systems whose records the stream has brought before. A seed without records of one of them deletes what it has. */
  readonly before: readonly string[];
  /** Percentage of a system's records that a delivery may remove. */
  readonly maxShrink: number;
  /** Number of records of a dataset that may be rejected from a delta. Nothing may be of a seed. */
  readonly maxRejects: number;
};

/** Counts of a delivery that was received, in a resource. */
export type ReceivedSet = {
  readonly resource: RecordName;
  /** Number of records that were read, of the systems that are taken. */
  readonly read: number;
  /** Number of records that the delivery names as removed, and that were served. */
  readonly removed: number;
  readonly rejected: number;
  /** Number of records of other systems that were left out. */
  readonly leftOut: number;
};

/** Receipt of a delivery: its sets, and the systems that have records in it. */
export type Receipt = { readonly sets: readonly ReceivedSet[]; readonly systems: readonly string[] };

/**
 * Ingests a delivery of another Cadastre, one dataset after another, and publishes each through the gates. To receive it again changes
 * nothing more.
 *
 * @throws {IngestError} if a record is not taken, or a gate is not passed
 */
export async function receiveDelivery(delivery: StoredDelivery, options: ReceiptOptions): Promise<Receipt> {
  const root = join(options.folder.path, "received");
  await mkdir(root, { recursive: true, mode: 0o700 });
  const scratch = await mkdtemp(join(root, "delivery-"));
  const systems = new Set<string>();
  const sets: ReceivedSet[] = [];
  try {
    for (const dataset of receivedDatasets(delivery.manifest.domain)) {
      const received = await receiveDataset(delivery, dataset, { ...options, root, scratch });
      for (const system of received.systems) systems.add(system);
      sets.push(received.set);
    }
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  return { sets, systems: [...systems] };
}

type DatasetOptions = ReceiptOptions & {
  /** Folder of the files of rejects. */
  readonly root: string;
  /** Folder of files that live as long as the receipt. */
  readonly scratch: string;
};

async function receiveDataset(
  delivery: StoredDelivery,
  named: ReceivedDataset,
  options: DatasetOptions,
): Promise<{ readonly set: ReceivedSet; readonly systems: readonly string[] }> {
  const { store, taken, scratch, before, maxShrink } = options;
  const { manifest } = delivery;
  const { dataset, resource } = named;
  const isDelta = manifest.kind === "delta";
  const rows = await splitRows(delivery, named, taken, store.catalog, scratch);
  requireKnownSystems(rows, dataset, options);
  const keyField = keyFieldOfDataset(manifest.domain, dataset);
  const removals = await splitRemovals(delivery, { ...named, keyField }, taken, store, scratch);
  let [read, rejected, removed] = [0, 0, 0];
  const count = { staged: false };
  const stage = async (system: string, path: string, mode: IngestMode) => {
    const report = await stageFile(path, { named, system, mode, empty: rows.empty }, options);
    count.staged = true;
    rejected += report.rejected;
  };
  for (const [system, { path, lines }] of rows.files) {
    await stage(system, path, isDelta ? "changes" : "full");
    read += lines;
  }
  for (const [system, { path, lines }] of removals) {
    await stage(system, path, "delete");
    removed += lines;
  }
  if (!isDelta)
    for (const system of before.filter((one) => !rows.files.has(one)))
      if (
        await stageEmptySet({
          store,
          resource,
          source: sourceNamed(store.catalog, system),
          maxShrink,
          cursor: `none:${delivery.sha256}`,
        })
      )
        count.staged = true;
  if (count.staged) await publish(resource, options);
  const leftOut = [...rows.leftOut.values()].reduce((sum, one) => sum + one, 0);
  return { set: { resource, read, removed, rejected, leftOut }, systems: [...rows.files.keys()] };
}

/** @throws {IngestError} if records of systems that are unknown here would be left out, and the operator has not said so */
function requireKnownSystems(
  { leftOut }: SplitRecords,
  dataset: string,
  { leavesOut }: ReceiptOptions,
): void {
  if (leavesOut || leftOut.size === 0) return;
  const names = [...leftOut.keys()].map((name) => `\`${name}\``).join(", ");
  throw new IngestError(
    `${dataset} has records of ${names}, which is no system here: \`cadastre system add\` adds one, or name the systems to take with --systems`,
  );
}

type StagedFile = {
  readonly named: ReceivedDataset;
  readonly system: string;
  readonly mode: IngestMode;
  readonly empty: readonly string[];
};

function stageFile(
  path: string,
  { named: { dataset, resource }, system, mode, empty }: StagedFile,
  { store, crosswalk, root, maxShrink, maxRejects, folder }: DatasetOptions,
) {
  const { catalog } = store;
  return withInput(path, folder.path, (input) =>
    ingest({
      store,
      crosswalk,
      resource,
      source: sourceNamed(catalog, system),
      input: { ...input, name: `${dataset} of ${system}` },
      format: "jsonl",
      mode,
      mapping: empty.length === 0 ? undefined : withoutMembers(catalog, resource, empty),
      rounding: roundingOf(catalog, resource),
      rejects: join(root, `${dataset}.${system}${rejectsEnding}`),
      rejectLimit: mode === "changes" ? rejectLimit(maxRejects) : noRejectLimit,
      maxShrink,
      onProgress: () => {},
    }),
  );
}

/** Returns a mapping that leaves out members that no record has a value of. */
const withoutMembers = (catalog: Catalog, resource: RecordName, empty: readonly string[]): SourceMapping => ({
  catalog,
  resources: { [resource]: { drop: empty } },
  // The catalog decides which they are, and the hash of what it accepts is in the cursor already.
  sha256: "",
});

async function publish(resource: RecordName, { store, crosswalk, maxShrink }: ReceiptOptions): Promise<void> {
  const policy = { crosswalk, maxShrink, allowShrink: maxShrink === 100 };
  const { results } = await publishGated(store, [resource], policy);
  const found = results.get(resource) ?? [];
  if (allPassed(found)) return;
  const failed = found.filter(({ passed }) => !passed).map(({ gate }) => gate);
  const losses = found.flatMap(excessiveIn);
  const told = losses.map((loss) => `: ${loss}`).join("");
  const remedy =
    losses.length > 0
      ? "To remove these records, add --allow-shrink"
      : `\`cadastre gates ${resource}\` shows why`;
  throw new IngestError(
    `${resource}: the gate ${failed.join(", ")} is not passed${told}. What was served before is served on. ${remedy}`,
  );
}
