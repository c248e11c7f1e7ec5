import {
  type CatalogDefinition,
  CatalogError,
  type DictionaryAdditions,
  readDictionary,
} from "@cadastre/reso";
import { Command, Option } from "commander";
import { currentCatalog } from "../data/catalogs.ts";
import { faultLines, readDefinitionFile } from "./catalog.ts";
import { withServiceRegistry } from "./data.ts";
import { CommandRefused, printMessage, printResult } from "./outcome.ts";
import { counted } from "./progress.ts";
import { editCatalog, printChange, tryCatalogEdit } from "./system/change-catalog.ts";

/** `cadastre dictionary`: the version of the RESO Data Dictionary that the catalog follows. */
export const dictionaryCommand = (): Command =>
  new Command("dictionary")
    .description("Say which version of the RESO Data Dictionary is served, and follow a later one.")
    .addCommand(showCommand())
    .addCommand(importDictionaryCommand());

const showCommand = (): Command =>
  new Command("show")
    .description(
      "Show the version of the dictionary, and what it has beyond the one that comes with this release.",
    )
    .addOption(new Option("--json", "write the result for machines"))
    .action(({ json }: { readonly json?: true }) =>
      withServiceRegistry(async ({ catalogs }) => {
        const { dictionary, definition } = (await currentCatalog(catalogs)).catalog;
        const { version } = dictionary;
        const { fields = {}, lookups = {} } = definition.dictionary ?? {};
        if (json) return printResult(JSON.stringify({ version, fields, lookups }, null, 2));
        printResult([`RESO Data Dictionary ${version}`, ...linesOf({ version, fields, lookups })].join("\n"));
      }),
    );

/** `cadastre dictionary import` */
const importDictionaryCommand = (): Command =>
  new Command("import")
    .description(
      "Follow a later version of the dictionary: serve the fields and values of lookups that it has more, while the service runs. The file is the metadata report that RESO publishes, in JSON.",
    )
    .argument("<file>", "file of the dictionary, such as dd-2.1.json")
    .option("--dry-run", "say what would be added, and change nothing")
    .action(async (file: string, { dryRun }: { readonly dryRun?: true }) => {
      const additions = additionsOf(file, await readDefinitionFile(file));
      const change = (definition: CatalogDefinition) => ({ ...definition, dictionary: additions });
      const lines = linesOf(additions);
      printResult(lines.join("\n") || "Nothing would be added.");
      if (dryRun) {
        await tryCatalogEdit({ change });
        return;
      }
      const changed = await editCatalog({ action: "dictionary.import", change });
      const { version, fields = {} } = additions;
      const count = Object.values(fields).reduce((sum, added) => sum + added.length, 0);
      printChange(
        `Version ${version} of the dictionary is followed, with ${counted(count, "new field")}.`,
        changed,
      );
      await warnOfChosenFields(fields);
    });

/** @throws {CommandRefused} with all faults of the file */
function additionsOf(file: string, report: unknown): DictionaryAdditions {
  try {
    return readDictionary(report);
  } catch (error) {
    if (!(error instanceof CatalogError)) throw error;
    throw new CommandRefused(`Nothing was changed.\n${faultLines(file, error)}`, { cause: error });
  }
}

/** Returns a line for each field and lookup. */
const linesOf = ({ fields = {}, lookups = {} }: DictionaryAdditions): readonly string[] => [
  ...Object.entries(fields).flatMap(([resource, added]) =>
    added.map(
      ({ name, type, collection, lookup }) =>
        `+ field ${resource}/${name}: ${collection ? `Collection(${type})` : type}${lookup === undefined ? "" : ` of lookup ${lookup}`}`,
    ),
  ),
  ...Object.entries(lookups).map(([name, values]) => `+ lookup ${name}: ${counted(values.length, "value")}`),
];

/** Says which new fields are not served, because the catalog names the standard fields that are. */
async function warnOfChosenFields(fields: NonNullable<DictionaryAdditions["fields"]>): Promise<void> {
  const { catalog } = await withServiceRegistry(({ catalogs }) => currentCatalog(catalogs));
  const { standardFields = {} } = catalog.definition;
  for (const resource of Object.keys(fields))
    if (Object.hasOwn(standardFields, resource))
      printMessage(
        `The catalog names the standard fields of ${resource} that are served: \`cadastre field enable ${resource} <field>\` adds new ones.`,
      );
}
