import type { OriginatingSystem } from "@cadastre/reso";
import { Command } from "commander";
import { WrongUsage } from "../outcome.ts";
import { readStates } from "./add.ts";
import { editCatalog, printChange } from "./change-catalog.ts";
import { requireSystem } from "./require-system.ts";

type Options = Partial<Pick<OriginatingSystem, "name" | "states" | "contact">>;

/** `cadastre system change <system>` */
export const changeCommand = (): Command =>
  new Command("change")
    .description(
      "Change a system. What is not given stays as it was; its id, dataset and prefix never change.",
    )
    .argument("<system>", "id of the system, as `system list` shows it")
    .option(
      "--name <name>",
      "the OriginatingSystemName of its records, while there are none and no entitlement names it",
    )
    .option("--states <codes>", "states of its market, separated by commas, such as IL,WI", readStates)
    .option("--contact <text>", "whom to ask about its records")
    .action(async (id: string, options: Options) => {
      if (Object.keys(options).length === 0)
        throw new WrongUsage("say what to change: --name, --states or --contact");
      const changed = await editCatalog({
        action: "system.change",
        system: id,
        change: (definition) => {
          requireSystem(definition, id);
          const changeOne = (system: OriginatingSystem) =>
            system.id === id ? { ...system, ...options } : system;
          return { ...definition, systems: definition.systems.map(changeOne) };
        },
        faultsOf: (path) => path.replace(/^systems\[\d+\]\.(\w+)(\[\d+\])?$/, "--$1"),
      });
      printChange(`Changed ${id}.`, changed);
    });
