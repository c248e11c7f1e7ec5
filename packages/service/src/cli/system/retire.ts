import { type ConfirmFlags, yesOption } from "@cadastre/client/terminal";
import type { OriginatingSystem } from "@cadastre/reso";
import type { Builds, DatasetRetirement } from "@cadastre/store";
import { Command } from "commander";
import type { DataFolder } from "../../data/data-folder.ts";
import { addPartition, dropPartition, requirePartitionOwner } from "../../data/partitions.ts";
import { takesEffectText } from "../../takes-effect.ts";
import { audited, auditOf } from "../audited.ts";
import { confirmDeletion } from "../confirmed.ts";
import { withServiceStore } from "../data.ts";
import { CommandRefused, printMessage } from "../outcome.ts";
import { number } from "../progress.ts";
import { requireSystem } from "./require-system.ts";

type RetireOptions = ConfirmFlags & { readonly drop?: boolean };

/** `cadastre system retire` */
export const retireCommand = (): Command =>
  new Command("retire")
    .description("Remove all records of a system whose licence has ended, and take no more of it.")
    .argument("<system>", "id of the system, as `system list` shows it")
    .addOption(yesOption())
    .option(
      "--drop",
      "as a second step: delete for good what is kept to undo the retirement, and drop the partitions",
    )
    .action((id: string, { drop = false, yes }: RetireOptions) =>
      withServiceStore(async (store, folder, _registry, config) => {
        const system = requireSystem(store.catalog, id);
        const action = drop ? "system.drop" : "system.retire";
        await audited({ action, object: { id }, ...auditOf(folder, config) }, () =>
          (drop ? dropRetired : retire)(store.builds, folder, system, { yes }),
        );
      }),
    );

type RetireStep = (
  builds: Builds,
  folder: DataFolder,
  system: OriginatingSystem,
  flags: ConfirmFlags,
) => Promise<void>;

const retire: RetireStep = async (builds, _folder, { id, name, datasetId }, flags) => {
  if ((await retirementOf(builds, datasetId)) !== undefined)
    throw new CommandRefused(`${name} is retired already`);
  if (!flags.yes) {
    const records = await recordsToRetire(builds, datasetId);
    await confirmDeletion(flags, `This removes all records of ${name}: ${countsText(records)}`);
  }
  const { removed } = await builds.retire(datasetId, () => {});
  printMessage(
    `Removed ${number(removed)} records of ${name}. ${takesEffectText("knows")} While their history is kept, \`cadastre system restore ${id}\` undoes this.`,
  );
};

/** Counts the records that a retirement would remove. Nothing is locked any more when the operator is asked. */
async function recordsToRetire(builds: Builds, datasetId: string): Promise<DatasetRetirement["records"]> {
  const counted = new Error("the records are counted");
  let found: DatasetRetirement["records"] = {};
  try {
    await builds.retire(datasetId, (records) => {
      found = records;
      throw counted;
    });
  } catch (error) {
    if (error !== counted) throw error;
  }
  return found;
}

const dropRetired: RetireStep = async (builds, folder, { id, name, datasetId }, flags) => {
  const retirement = await retirementOf(builds, datasetId);
  if (retirement === undefined)
    throw new CommandRefused(`${name} is not retired: \`cadastre system retire ${id}\` retires it`);
  await confirmDeletion(
    flags,
    `This deletes for good what is kept of the retired records of ${name}: ${countsText(retirement.records)}`,
  );
  // Once the retirement is forgotten, the command cannot be run again by the owner of the partitions.
  await requirePartitionOwner(folder);
  await builds.forgetRetired(datasetId);
  await dropPartition(folder, datasetId);
  printMessage(`Nothing is kept of the retired records of ${name}.`);
};

/** `cadastre system restore` */
export const restoreSystemCommand = (): Command =>
  new Command("restore")
    .description("Undo the retirement of a system: it has its records again, as they were.")
    .argument("<system>", "id of the system, as `system list` shows it")
    .option("--empty", "take records of the system again, without those it had")
    .action((id: string, { empty = false }: { readonly empty?: boolean }) =>
      withServiceStore(async (store, folder, _registry, config) => {
        const { name, datasetId } = requireSystem(store.catalog, id);
        const action = { action: "system.restore", object: { id }, ...auditOf(folder, config) } as const;
        const { written } = await audited(action, async () => {
          if ((await retirementOf(store.builds, datasetId)) === undefined)
            throw new CommandRefused(`${name} is not retired`);
          if (empty) await addPartition(folder, datasetId);
          return store.builds.reinstate(datasetId, empty);
        });
        printMessage(`${name} is served again, with ${number(written)} records. ${takesEffectText("knows")}`);
      }),
    );

const retirementOf = async (
  builds: Pick<Builds, "retired">,
  datasetId: string,
): Promise<DatasetRetirement | undefined> =>
  (await builds.retired()).find((one) => one.datasetId === datasetId);

const countsText = (records: DatasetRetirement["records"]): string =>
  Object.entries(records)
    .map(([resource, count]) => `${number(count)} of ${resource}`)
    .join(", ") || "none";
