import type { Catalog } from "@cadastre/reso";
import type { DatasetRetirement } from "@cadastre/store";
import { Command, Option } from "commander";
import { partitionStateOf } from "../../data/partitions.ts";
import { withServiceStore } from "../data.ts";
import { printMessage, printResult } from "../outcome.ts";
import { table } from "../table.ts";
import { readable } from "../times.ts";

/** `cadastre system list` */
export const listSystemsCommand = (): Command =>
  new Command("list")
    .description("List the systems, and the partitions of their datasets.")
    .addOption(new Option("--json", "write the result for machines"))
    .action(({ json }: { readonly json?: true }) =>
      withServiceStore(async ({ builds, catalog }, folder) => {
        const retired = await builds.retired();
        const retirementOf = (datasetId: string) => retired.find((one) => one.datasetId === datasetId);
        if (json) {
          const systems = catalog.systems.map(({ id, name, prefix, states, datasetId, contact }) => ({
            id,
            name,
            prefix,
            states,
            datasetId,
            contact: contact ?? null,
            localFields: countFields(catalog, id),
            retired: timeOf(retirementOf(datasetId)),
          }));
          return printResult(JSON.stringify(systems, null, 2));
        }
        if (catalog.systems.length === 0)
          return printMessage("No systems. `cadastre system add --help` says how to add one.");
        const rows: string[][] = [];
        for (const { id, name, states, datasetId } of catalog.systems) {
          const state = stateText(retirementOf(datasetId));
          const fields = String(countFields(catalog, id));
          const partition = await partitionStateOf(folder, datasetId);
          rows.push([id, name, states.join(" "), fields, datasetId, state, partition]);
        }
        printResult(table(["SYSTEM", "NAME", "STATES", "FIELDS", "DATASET", "STATE", "PARTITION"], rows));
      }),
    );

const countFields = ({ systems }: Catalog, id: string): number =>
  Object.values(systems.find((system) => system.id === id)?.fields ?? {}).flat().length;

const timeOf = (retirement: DatasetRetirement | undefined): string | null =>
  retirement === undefined ? null : new Date(retirement.time).toISOString();

const stateText = (retirement: DatasetRetirement | undefined): string =>
  retirement === undefined ? "served" : `retired ${readable(retirement.time)}`;
