import { Command } from "commander";

/** `cadastre serve` */
export const serveCommand = (): Command =>
  new Command("serve")
    .description("Answer requests until a signal stops it, as `npm start` does.")
    .option("--processes <count>", "processes that share the port; by default CADASTRE_PROCESSES")
    .action(async ({ processes }: { readonly processes?: string }) => {
      if (processes !== undefined) process.env["CADASTRE_PROCESSES"] = processes;
      await import("../start.ts");
    });
