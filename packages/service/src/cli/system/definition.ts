import { writeFile } from "node:fs/promises";
import { type CatalogDefinition, resourceNames } from "@cadastre/reso";
import { Command } from "commander";
import { currentCatalog } from "../../data/catalogs.ts";
import { fileReason } from "../../file-error.ts";
import { createFrom, readDefinitionFile } from "../catalog.ts";
import { withServiceRegistry } from "../data.ts";
import { CommandRefused, printMessage, printResult } from "../outcome.ts";
import { editCatalog, printChange, tryCatalogEdit } from "./change-catalog.ts";

/** `cadastre system export` */
export const exportCommand = (): Command =>
  new Command("export")
    .description(
      "Write the catalog: all systems with their local fields and lookups, as JSON to keep, to edit and to import.",
    )
    .option("--out <file>", "write it to a new file (default: standard output)")
    .action(({ out }: { readonly out?: string }) =>
      withServiceRegistry(async ({ catalogs }) => {
        const { version, catalog } = await currentCatalog(catalogs);
        const text = JSON.stringify(catalog.definition, null, 2);
        if (out === undefined) return printResult(text);
        await writeFile(out, `${text}\n`, { flag: "wx" }).catch((cause: NodeJS.ErrnoException) => {
          throw new CommandRefused(
            cause.code === "EEXIST"
              ? `${out} exists and was not changed: name another file`
              : `${out} cannot be written: ${fileReason(cause)}`,
            { cause },
          );
        });
        printMessage(`Wrote version ${version} of the catalog to ${out}.`);
      }),
    );

/** `cadastre system import` */
export const importCommand = (): Command =>
  new Command("import")
    .description(
      "Replace the catalog by that of a file, as `system export` writes it. Systems and fields can be added and changed, not removed.",
    )
    .argument("<file>", "file of the definition")
    .option("--dry-run", "say what would change, and change nothing")
    .action(async (file: string, { dryRun }: { readonly dryRun?: true }) => {
      const given = createFrom(file, await readDefinitionFile(file)).definition;
      const faultsOf = (path: string) => `${file}: ${path}`;
      if (dryRun) {
        const { before, definition } = await tryCatalogEdit({ change: () => given, faultsOf });
        return printResult(differences(before.definition, definition).join("\n") || "Nothing would change.");
      }
      let told: readonly string[] = [];
      const changed = await editCatalog({
        action: "catalog.import",
        change: (definition) => {
          told = differences(definition, given);
          if (told.length === 0)
            throw new CommandRefused(`${file} is the catalog in force: nothing was changed`);
          return given;
        },
        faultsOf,
      });
      printResult(told.join("\n"));
      printChange(`Took the catalog of ${file}.`, changed);
    });

/** Returns a line for each difference: `+` added, `~` changed, `-` left out. */
function differences(before: CatalogDefinition, after: CatalogDefinition): readonly string[] {
  const lines: string[] = [];
  const compare = (what: string, was: unknown, is: unknown) => {
    if (JSON.stringify(was) === JSON.stringify(is)) return;
    lines.push(`${was === undefined ? "+" : is === undefined ? "-" : "~"} ${what}`);
  };
  for (const id of new Set([...before.systems, ...after.systems].map((system) => system.id))) {
    const [was, is] = [before, after].map(({ systems }) => systems.find((system) => system.id === id));
    const own = (system: typeof was) => system && { ...system, fields: undefined, lookups: undefined };
    compare(`system ${id}`, own(was), own(is));
    for (const resource of resourceNames) {
      const fieldsOf = (system: typeof was) =>
        resource === "Lookup" ? [] : (system?.fields?.[resource] ?? []);
      for (const name of new Set([...fieldsOf(was), ...fieldsOf(is)].map((field) => field.name))) {
        const find = (system: typeof was) => fieldsOf(system).find((field) => field.name === name);
        compare(`field ${resource}/${name} of ${id}`, find(was), find(is));
      }
    }
    for (const name of new Set([...Object.keys(was?.lookups ?? {}), ...Object.keys(is?.lookups ?? {})]))
      compare(`lookup ${name} of ${id}`, was?.lookups?.[name], is?.lookups?.[name]);
  }
  compare("dictionary", before.dictionary, after.dictionary);
  for (const name of resourceNames)
    compare(`standard fields of ${name}`, before.standardFields?.[name], after.standardFields?.[name]);
  return lines;
}
