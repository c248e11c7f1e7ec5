import { Command, Option } from "commander";
import { currentCatalog } from "../../data/catalogs.ts";
import { withServiceRegistry } from "../data.ts";
import { printMessage, printResult } from "../outcome.ts";
import { requireSystem } from "../system/require-system.ts";
import { table } from "../table.ts";

/** `cadastre field list <system>` */
export const listFieldsCommand = (): Command =>
  new Command("list")
    .description("List the local fields of a system.")
    .argument("<system>", "id of the system, as `system list` shows it")
    .addOption(new Option("--json", "write the result for machines"))
    .action((id: string, { json }: { readonly json?: true }) =>
      withServiceRegistry(async ({ catalogs }) => {
        const { fields = {}, lookups = {} } = requireSystem((await currentCatalog(catalogs)).catalog, id);
        if (json) return printResult(JSON.stringify({ fields, lookups }, null, 2));
        const rows = Object.entries(fields).flatMap(([resource, own]) =>
          own.map(({ name, type, collection, lookup = "", displayName }) => [
            resource,
            name,
            collection ? `Collection(${type})` : type,
            lookup,
            displayName,
          ]),
        );
        if (rows.length === 0) return printMessage(`${id} has no local fields.`);
        printResult(table(["RESOURCE", "FIELD", "TYPE", "LOOKUP", "DISPLAY NAME"], rows));
      }),
    );
