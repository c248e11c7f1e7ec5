import { Command } from "commander";
import { settings } from "../settings/settings.ts";
import { parseBySetting } from "./setting-option.ts";

/** `cadastre serve` */
export const serveCommand = (): Command =>
  new Command("serve")
    .description("Answer requests until a signal stops it, as `npm start` does.")
    .option(
      "--processes <count>",
      "processes that share the port; by default CADASTRE_PROCESSES",
      parseBySetting(settings.CADASTRE_PROCESSES),
    )
    .action(async ({ processes }: { readonly processes?: number }) => {
      if (processes !== undefined) process.env["CADASTRE_PROCESSES"] = String(processes);
      await import("../start.ts");
    });
