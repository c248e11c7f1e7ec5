import { Command } from "commander";
import { readDefinitionFile } from "../catalog.ts";
import { CommandRefused } from "../outcome.ts";
import { number } from "../progress.ts";
import { editCatalog, printChange } from "../system/change-catalog.ts";
import { type Additions, withAdditions } from "./add-fields.ts";

/** `cadastre field import <system> <file>` */
export const importFieldsCommand = (): Command =>
  new Command("import")
    .description(
      "Add the local fields and lookups of a file to a system, as `field list --json` writes them: a JSON object with `fields` by resource and `lookups`.",
    )
    .argument("<system>", "id of the system, as `system list` shows it")
    .argument("<file>", "file of the fields")
    .action(async (id: string, file: string) => {
      const additions = toAdditions(file, await readDefinitionFile(file));
      const changed = await editCatalog({
        action: "field.add",
        system: id,
        change: (definition) => withAdditions(definition, id, additions),
        faultsOf: (path) => `${file}: ${path.replace(/^systems\[\d+\]\.?/, "")}`,
      });
      const count = Object.values(additions.fields).flat().length;
      printChange(`${id} has the ${number(count)} fields of ${file}.`, changed);
    });

/**
 * Takes `fields`, lists by resource, and `lookups`, lists by lookup, from the file; either may be absent. Their items are checked with the whole
 * definition.
 *
 * @throws {CommandRefused}
 */
function toAdditions(file: string, json: unknown): Additions {
  if (typeof json !== "object" || json === null || Array.isArray(json))
    throw new CommandRefused(`${file} must be a JSON object with \`fields\` and \`lookups\``);
  const { fields = {}, lookups = {}, ...rest } = json as Partial<Additions>;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined)
    throw new CommandRefused(`${file}: \`${unknown}\` is unknown: there are \`fields\` and \`lookups\``);
  const hasOnlyLists = (value: object) => Object.values(value).every(Array.isArray);
  if (!hasOnlyLists(fields) || !hasOnlyLists(lookups))
    throw new CommandRefused(
      `${file}: \`fields\` must have a list for each resource, \`lookups\` one for each lookup`,
    );
  return { fields, lookups };
}
