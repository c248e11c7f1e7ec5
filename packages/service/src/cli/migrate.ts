import { Command } from "commander";
import { migrateFolder } from "../data/migrate-folder.ts";
import { withServiceFolder } from "./data.ts";
import { printMessage } from "./outcome.ts";

/** `cadastre migrate` */
export const migrateCommand = (): Command =>
  new Command("migrate")
    .description("Copy each database, and migrate it to the schema of this version, as a start does.")
    .action(() =>
      withServiceFolder("database", async (folder) => {
        await migrateFolder(folder, printMessage);
        printMessage("The databases have the schema of this version.");
      }),
    );
