import { Command } from "commander";
import { createDatabases, migrateFolder } from "../data/migrate-folder.ts";
import { withServiceFolder } from "./data.ts";
import { printMessage } from "./outcome.ts";

/** `cadastre migrate` */
export const migrateCommand = (): Command =>
  new Command("migrate")
    .description(
      "Migrate both databases to the schema of this version, as a start does with files, which are copied first. In PostgreSQL it creates the tables that are missing.",
    )
    .action(() =>
      withServiceFolder("database", async (folder) => {
        await migrateFolder(folder, printMessage);
        if (folder.postgres !== undefined) await createDatabases(folder);
        printMessage("The databases have the schema of this version.");
      }),
    );
