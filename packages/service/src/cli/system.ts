import { type OriginatingSystem, originatingSystems } from "@cadastre/reso";
import { StoreError } from "@cadastre/store";
import { Command } from "commander";
import type { DataFolder } from "../data/data-folder.ts";
import { partitionsOf } from "../data/postgres-databases.ts";
import { audited, auditOf } from "./audited.ts";
import { withServiceFolder } from "./data.ts";
import { CommandRefused, printMessage, printResult } from "./outcome.ts";
import { table } from "./table.ts";

/** `cadastre system` */
export const systemCommand = (): Command =>
  new Command("system")
    .description("Look after the originating systems whose records the service stores.")
    .addCommand(listCommand())
    .addCommand(addCommand());

const listCommand = (): Command =>
  new Command("list").description("List the systems and the partitions of their datasets.").action(() =>
    withServiceFolder("database", async (folder) => {
      const rows: string[][] = [];
      for (const { id, name, datasetId } of originatingSystems)
        rows.push([id, name, datasetId, await partitionText(folder, datasetId)]);
      printResult(table(["SYSTEM", "NAME", "DATASET", "PARTITION"], rows));
    }),
  );

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
