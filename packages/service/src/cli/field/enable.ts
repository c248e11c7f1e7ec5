import { nearest } from "@cadastre/odata";
import {
  type CatalogDefinition,
  coreFields,
  type Dictionary,
  type ResourceName,
  resourceNames,
} from "@cadastre/reso";
import { Argument, Command } from "commander";
import { currentCatalog } from "../../data/catalogs.ts";
import { fieldAlsoCalled } from "../../learn/field-names.ts";
import { withServiceRegistry } from "../data.ts";
import { CommandRefused, printMessage } from "../outcome.ts";
import { editCatalog, printChange } from "../system/change-catalog.ts";

/** `cadastre field enable <resource> <field…>` */
export const enableFieldsCommand = (): Command =>
  new Command("enable")
    .description(
      "Serve standard fields that the catalog leaves out, while the service runs. A catalog that leaves out none serves all of the dictionary.",
    )
    .addArgument(new Argument("<resource>", "resource of the fields").choices(resourceNames))
    .argument("<field...>", "names of standard fields, such as PoolFeatures")
    .action(async (resource: ResourceName, names: readonly string[]) => {
      const { catalog } = await withServiceRegistry(({ catalogs }) => currentCatalog(catalogs));
      requireStandard(resource, names, catalog.dictionary);
      const served = new Set(catalog.fieldsOf(resource).map(({ name }) => name));
      if (names.every((name) => served.has(name)))
        return printMessage(`${resource} serves ${names.join(", ")} already. Nothing was changed.`);
      const changed = await editCatalog({
        action: "field.enable",
        change: (definition) => withStandardFields(definition, resource, names),
      });
      printChange(`${resource} serves ${names.join(", ")}. Who is granted all fields sees them.`, changed);
    });

/** @throws {CommandRefused} for each name that the dictionary does not have, with the one that is meant */
function requireStandard(resource: ResourceName, names: readonly string[], { fieldsOf }: Dictionary): void {
  const fields = fieldsOf(resource);
  const known = fields.map(({ name }) => name);
  const faults = names
    .filter((name) => !known.includes(name))
    .map((name) => {
      const meant = fieldAlsoCalled(fields, name)?.name ?? nearest(name, known);
      const suggestion =
        meant === undefined
          ? "`cadastre field list --standard` lists them, and `cadastre field add` adds a local one"
          : `did you mean \`${meant}\`?`;
      return `${resource} has no standard field \`${name}\`: ${suggestion}`;
    });
  if (faults.length > 0) throw new CommandRefused(`Nothing was changed.\n${faults.join("\n")}`);
}

function withStandardFields(
  definition: CatalogDefinition,
  resource: ResourceName,
  names: readonly string[],
): CatalogDefinition {
  const { standardFields = {} } = definition;
  const chosen = standardFields[resource];
  // Another command may have put all of them back.
  if (chosen === undefined) return definition;
  const core = new Set(coreFields(resource));
  const wanted = [...new Set([...chosen, ...names])].filter((name) => !core.has(name));
  return { ...definition, standardFields: { ...standardFields, [resource]: wanted } };
}
