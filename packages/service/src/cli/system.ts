import { type ConfirmFlags, yesOption } from "@cadastre/client/terminal";
import { type OriginatingSystem, originatingSystems } from "@cadastre/reso";
import { type Builds, type DatasetRetirement, StoreError } from "@cadastre/store";
import { Command } from "commander";
import type { DataFolder } from "../data/data-folder.ts";
import { partitionsOf } from "../data/postgres-databases.ts";
import { runningService } from "../takes-effect.ts";
import { audited, auditOf } from "./audited.ts";
import { withServiceFolder, withServiceStore } from "./data.ts";
import { CommandRefused, printMessage, printResult } from "./outcome.ts";
import { number } from "./progress.ts";
import { table } from "./table.ts";
import { readable } from "./times.ts";

/** `cadastre system` */
export const systemCommand = (): Command =>
  new Command("system")
    .description("Look after the originating systems whose records the service stores.")
    .addCommand(listCommand())
    .addCommand(addCommand())
    .addCommand(retireCommand())
    .addCommand(restoreSystemCommand());

const listCommand = (): Command =>
  new Command("list").description("List the systems and the partitions of their datasets.").action(() =>
    withServiceStore(async (store, folder) => {
      const retired = await store.builds.retired();
      const rows: string[][] = [];
      for (const { id, name, datasetId } of originatingSystems) {
        const state = stateText(retired.find((one) => one.datasetId === datasetId));
        rows.push([id, name, datasetId, state, await partitionText(folder, datasetId)]);
      }
      printResult(table(["SYSTEM", "NAME", "DATASET", "STATE", "PARTITION"], rows));
    }),
  );

const stateText = (retirement: DatasetRetirement | undefined): string =>
  retirement === undefined ? "served" : `retired ${readable(retirement.time)}`;

const addCommand = (): Command =>
  new Command("add")
    .description(
      "Make the partitions of a system's dataset, where tables are divided by dataset. Elsewhere nothing has to be done.",
    )
    .argument("<system>", "id of the system, as `system list` shows it")
    .action((id: string) =>
      withServiceFolder("database", async (folder, config) => {
        const { name, datasetId } = systemOf(id);
        const work = async () => addPartitionOf(folder, datasetId);
        const isAdded = await audited(
          { action: "system.add", object: { id }, ...auditOf(folder, config) },
          work,
        );
        printMessage(
          isAdded
            ? `${name} has its partitions.`
            : `${name} needs no partitions: the tables are not divided by dataset.`,
        );
      }),
    );

type RetireOptions = ConfirmFlags & { readonly confirm?: string; readonly drop?: boolean };

const retireCommand = (): Command =>
  new Command("retire")
    .description("Remove all records of a system whose licence has ended, and take no more of it.")
    .argument("<system>", "id of the system, as `system list` shows it")
    .option("--confirm <system>", "id of the system again; without it or --yes nothing is changed")
    .addOption(yesOption())
    .option(
      "--drop",
      "as a second step: delete for good what is kept to undo the retirement, and drop the partitions",
    )
    .action((id: string, { confirm, drop = false, yes }: RetireOptions) =>
      withServiceStore(async (store, folder, _registry, config) => {
        const system = systemOf(id);
        const requireConfirmed = (effect: string) => {
          if (yes || confirm === id) return;
          const command = `cadastre system retire ${id}${drop ? " --drop" : ""} --confirm ${id}`;
          throw new CommandRefused(`${effect} Nothing was changed. To do it: \`${command}\``);
        };
        const action = drop ? "system.drop" : "system.retire";
        await audited({ action, object: { id }, ...auditOf(folder, config) }, () =>
          (drop ? dropRetired : retire)(store.builds, folder, system, requireConfirmed),
        );
      }),
    );

type RetireStep = (
  builds: Builds,
  folder: DataFolder,
  system: OriginatingSystem,
  /** @throws {CommandRefused} with the effect, unless it was confirmed */
  requireConfirmed: (effect: string) => void,
) => Promise<void>;

const retire: RetireStep = async (builds, _folder, { id, name, datasetId }, requireConfirmed) => {
  if ((await retirementOf(builds, datasetId)) !== undefined)
    throw new CommandRefused(`${name} is retired already`);
  const { removed } = await builds.retire(datasetId, (records) =>
    requireConfirmed(`This removes all records of ${name}: ${countsText(records)}.`),
  );
  printMessage(
    `Removed ${number(removed)} records of ${name}. ${runningService("knows")} While their history is kept, \`cadastre system restore ${id}\` undoes this.`,
  );
};

const dropRetired: RetireStep = async (builds, { postgres }, { id, name, datasetId }, requireConfirmed) => {
  const retirement = await retirementOf(builds, datasetId);
  if (retirement === undefined)
    throw new CommandRefused(`${name} is not retired: \`cadastre system retire ${id}\` retires it`);
  requireConfirmed(
    `This deletes for good what is kept of the retired records of ${name}: ${countsText(retirement.records)}.`,
  );
  await builds.forgetRetired(datasetId);
  if (postgres !== undefined) await ifDivided(() => partitionsOf(postgres).remove(datasetId));
  printMessage(`Nothing is kept of the retired records of ${name}.`);
};

const restoreSystemCommand = (): Command =>
  new Command("restore")
    .description("Undo the retirement of a system: it has its records again, as they were.")
    .argument("<system>", "id of the system, as `system list` shows it")
    .option("--empty", "take records of the system again, without those it had")
    .action((id: string, { empty = false }: { readonly empty?: boolean }) =>
      withServiceStore(async (store, folder, _registry, config) => {
        const { name, datasetId } = systemOf(id);
        const action = { action: "system.restore", object: { id }, ...auditOf(folder, config) } as const;
        const { written } = await audited(action, async () => {
          if ((await retirementOf(store.builds, datasetId)) === undefined)
            throw new CommandRefused(`${name} is not retired`);
          if (empty) await addPartitionOf(folder, datasetId);
          return store.builds.reinstate(datasetId, empty);
        });
        printMessage(`${name} is served again, with ${number(written)} records. ${runningService("knows")}`);
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

function systemOf(id: string): OriginatingSystem {
  const system = originatingSystems.find((one) => one.id === id);
  if (system === undefined) throw new CommandRefused(`no system is called ${id}: see cadastre system list`);
  return system;
}

/** Returns false if the tables are not divided by dataset. */
async function addPartitionOf({ postgres }: DataFolder, datasetId: string): Promise<boolean> {
  if (postgres === undefined) return false;
  return (
    (await ifDivided(() =>
      partitionsOf(postgres)
        .add(datasetId)
        .then(() => true),
    )) ?? false
  );
}

async function partitionText({ postgres }: DataFolder, datasetId: string): Promise<string> {
  if (postgres === undefined) return "none";
  return (await ifDivided(() => partitionsOf(postgres).state(datasetId))) ?? "none";
}

/** Returns undefined if the tables are not divided by dataset. */
async function ifDivided<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StoreError && error.code === "not_partitioned") return undefined;
    throw error;
  }
}
