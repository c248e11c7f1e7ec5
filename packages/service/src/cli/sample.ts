import { Command, Option } from "commander";
import { useFolder } from "../backup/folder-use.ts";
import { readConfig } from "../config.ts";
import { withDataFolder } from "../data/data-error.ts";
import { openConfiguredFolder } from "../data/data-folder.ts";
import { databasesOf } from "../data/databases.ts";
import { prepareListings } from "../data/prepare-listings.ts";
import { settings } from "../settings/settings.ts";
import { CommandRefused, printMessage } from "./outcome.ts";
import { number } from "./progress.ts";
import { parseBySetting } from "./setting-option.ts";

/** `cadastre sample`: creates the database of sample listings, unless there is one with listings. */
export const sampleCommand = (): Command =>
  new Command("sample")
    .description("Create a database of sample listings in a folder that has none.")
    .addOption(
      new Option("--listings <count>", "number of listings (default: CADASTRE_LISTINGS)").argParser(
        parseBySetting(settings.CADASTRE_LISTINGS),
      ),
    )
    .action(({ listings }: { readonly listings?: number }) => {
      const config = readConfig(process.env);
      return withDataFolder(config.dataFolder, async () => {
        const folder = await openConfiguredFolder(config);
        await useFolder(folder, config);
        const { listingsName, hasListings } = databasesOf(folder);
        if (await hasListings())
          throw new CommandRefused(
            `${listingsName} ${config.postgres === undefined ? "exists and was not changed: set CADASTRE_DATA to an empty folder" : "has listings and was not changed: set CADASTRE_DATABASE_URL to an empty database"}`,
          );
        const wanted = listings ?? config.listings;
        await prepareListings(folder, wanted, {
          started: (count) => printMessage(`Preparing ${number(count)} sample listings …`),
          loaded: (count, of) => printMessage(`  ${number(count)} of ${number(of)}`),
          done: (count, seconds) =>
            printMessage(`Prepared ${number(count)} sample listings in ${seconds.toFixed(1)} s.`),
          kept: () => {},
        });
        if (wanted === 0) printMessage(`Prepared ${listingsName} without listings.`);
      });
    });
