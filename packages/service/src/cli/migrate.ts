import { Command, Option } from "commander";
import { createDatabases, migrateFolder } from "../data/migrate-folder.ts";
import { partitionListings, partitionNames } from "../data/postgres-databases.ts";
import { withServiceFolder } from "./data.ts";
import { CommandRefused, printMessage } from "./outcome.ts";

type MigrateOptions = { readonly partition?: (typeof partitionNames)[number] };

/** `cadastre migrate` */
export const migrateCommand = (): Command =>
  new Command("migrate")
    .description(
      "Migrate both databases to the schema of this version, as a start does with files, which are copied first. In PostgreSQL it creates the tables that are missing.",
    )
    .addOption(
      new Option(
        "--partition <kind>",
        "divide the tables of listings in PostgreSQL: list, a partition for each dataset, up to about 50; hash, 32 for any number. Copies the rows while nothing can read or write them",
      ).choices(partitionNames),
    )
    .action(({ partition }: MigrateOptions) =>
      withServiceFolder("database", async (folder) => {
        if (partition !== undefined && folder.postgres === undefined)
          throw new CommandRefused("a file has no partitions: set CADASTRE_DATABASE_URL");
        await migrateFolder(folder, printMessage);
        if (folder.postgres !== undefined) {
          await createDatabases(folder);
          if (partition !== undefined) await partitionListings(folder.postgres, partition, printMessage);
        }
        printMessage("The databases have the schema of this version.");
      }),
    );
