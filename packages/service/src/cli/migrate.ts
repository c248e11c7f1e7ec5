import { compactSqlite } from "@cadastre/store/sqlite";
import { Command, Option } from "commander";
import { createDatabases, migrateFolder } from "../data/migrate-folder.ts";
import { partitionListings, partitionNames } from "../data/postgres-databases.ts";
import { withServiceFolder } from "./data.ts";
import { CommandRefused, printMessage } from "./outcome.ts";

type MigrateOptions = { readonly partition?: (typeof partitionNames)[number]; readonly compact?: true };

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
    .option(
      "--compact",
      "rewrite the file of listings with pages of 16 kB and without free space. Needs as much disk space again, and no other program may use the file",
    )
    .action(({ partition, compact }: MigrateOptions) =>
      withServiceFolder("database", async (folder) => {
        if (compact && folder.postgres !== undefined)
          throw new CommandRefused("PostgreSQL is compacted by its own VACUUM FULL: leave --compact out");
        if (partition !== undefined && folder.postgres === undefined)
          throw new CommandRefused("a file has no partitions: set CADASTRE_DATABASE_URL");
        await migrateFolder(folder, printMessage);
        if (folder.postgres !== undefined) {
          await createDatabases(folder);
          if (partition !== undefined) await partitionListings(folder.postgres, partition, printMessage);
        }
        if (compact) {
          printMessage(`rewriting ${folder.database}`);
          compactSqlite(folder.database);
        }
        printMessage("The databases have the schema of this version.");
      }),
    );
