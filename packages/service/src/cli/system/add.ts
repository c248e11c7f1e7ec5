import { randomUUID } from "node:crypto";
import type { OriginatingSystem } from "@cadastre/reso";
import { Command, InvalidArgumentError } from "commander";
import { currentCatalog } from "../../data/catalogs.ts";
import { addPartition } from "../../data/partitions.ts";
import { withRegistry } from "../../data/registry.ts";
import { audited, auditOf } from "../audited.ts";
import { withServiceFolder } from "../data.ts";
import { CommandRefused, printMessage, WrongUsage } from "../outcome.ts";
import { editCatalog, printChange } from "./change-catalog.ts";
import { requireSystem } from "./require-system.ts";

type Options = {
  readonly name?: string;
  readonly states?: readonly string[];
  readonly prefix?: string;
  readonly dataset?: string;
  readonly contact?: string;
};

/** `cadastre system add <system>` */
export const addCommand = (): Command =>
  new Command("add")
    .description(
      "Add an originating system, such as an MLS, while the service runs. Without options, make the partitions of a system that there is, where tables are divided by dataset.",
    )
    .argument("<system>", "id of the system: lower-case letters, digits and -, such as northshore")
    .option("--name <name>", "the OriginatingSystemName of its records")
    .option("--states <codes>", "states of its market, separated by commas, such as IL,WI", readStates)
    .option("--prefix <prefix>", "prefix of its lookups (default: the id in capitals, such as NORTHSHORE_)")
    .option("--dataset <uuid>", "id of its dataset, if customers know it already (default: a new one)")
    .option("--contact <text>", "whom to ask about its records")
    .action((id: string, options: Options) =>
      Object.keys(options).length === 0 ? addPartitions(id) : addSystem(id, options),
    );

/** Parses codes of states. @throws {InvalidArgumentError} */
export function readStates(text: string): readonly string[] {
  const states = text.split(",").map((state) => state.trim().toUpperCase());
  if (states.some((state) => !/^[A-Z]{2}$/.test(state)))
    throw new InvalidArgumentError("It must be codes of two letters, separated by commas, such as IL,WI.");
  return [...new Set(states)];
}

/** Adds a system to the catalog, and says so. @throws {CommandRefused} names the option that is missing or wrong */
export async function addSystem(
  id: string,
  { name, states, prefix, dataset, contact }: Options,
): Promise<void> {
  if (name === undefined) throw new WrongUsage("--name is missing: the OriginatingSystemName of its records");
  if (states === undefined)
    throw new WrongUsage("--states is missing: the states of its market, such as --states IL,WI");
  const system: OriginatingSystem = {
    id,
    name,
    prefix: prefix ?? prefixOf(id),
    states,
    datasetId: dataset ?? randomUUID(),
    ...(contact === undefined ? {} : { contact }),
  };
  const changed = await editCatalog({
    action: "system.add",
    system: id,
    change: (definition) => {
      if (definition.systems.some((one) => one.id === id))
        throw new CommandRefused(`there is a system \`${id}\`: \`cadastre system change ${id}\` changes it`);
      return { ...definition, systems: [...definition.systems, system] };
    },
    faultsOf: optionOf,
  });
  printChange(`Added ${name}, with the dataset ${system.datasetId}.`, changed);
  printMessage(`To say how its listings are to be presented: \`cadastre profile set ${id} --help\``);
}

/** Returns the default prefix of a system's lookups. */
const prefixOf = (id: string): string => `${id.replaceAll("-", "").toUpperCase().slice(0, 10)}_`;

/** Names the option that gave a member of the new system. */
const optionOf = (path: string): string =>
  path
    .replace(/^systems\[\d+\]\.id$/, "the id")
    .replace(/^systems\[\d+\]\.datasetId$/, "--dataset")
    .replace(/^systems\[\d+\]\.(\w+)(\[\d+\])?$/, "--$1");

const addPartitions = (id: string) =>
  withServiceFolder("database", async (folder, config) => {
    const { catalog } = await withRegistry(folder, ({ catalogs }) => currentCatalog(catalogs));
    const { name, datasetId } = requireSystem(catalog, id);
    const isAdded = await audited({ action: "system.add", object: { id }, ...auditOf(folder, config) }, () =>
      addPartition(folder, datasetId),
    );
    printMessage(
      isAdded
        ? `${name} has its partitions.`
        : `${name} needs no partitions: the tables are not divided by dataset.`,
    );
  });
