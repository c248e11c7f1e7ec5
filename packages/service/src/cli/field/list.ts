import { type Field, type LocalField, resourceNames } from "@cadastre/reso";
import { Command, Option } from "commander";
import { currentCatalog } from "../../data/catalogs.ts";
import { typeText } from "../../learn/field-types.ts";
import { withServiceRegistry } from "../data.ts";
import { CommandRefused, printMessage, printResult } from "../outcome.ts";
import { requireSystem } from "../system/require-system.ts";
import { table } from "../table.ts";

type Options = { readonly json?: true; readonly standard?: true };

/** `cadastre field list [system]` */
export const listFieldsCommand = (): Command =>
  new Command("list")
    .description("List the local fields of a system, or the standard fields and which of them are served.")
    .argument("[system]", "id of the system, as `system list` shows it")
    .option("--standard", "list the fields of the dictionary instead, which all systems have")
    .addOption(new Option("--json", "write the result for machines"))
    .action((id: string | undefined, { json, standard }: Options) => {
      if ((id === undefined) !== (standard === true))
        throw new CommandRefused("give either a system, to list its local fields, or --standard");
      return id === undefined ? listStandard(json === true) : listLocal(id, json === true);
    });

const listLocal = (id: string, json: boolean) =>
  withServiceRegistry(async ({ catalogs }) => {
    const { fields = {}, lookups = {} } = requireSystem((await currentCatalog(catalogs)).catalog, id);
    if (json) return printResult(JSON.stringify({ fields, lookups }, null, 2));
    const rows = Object.entries(fields).flatMap(([resource, own]) =>
      own.map((field) => [resource, ...cellsOf(field)]),
    );
    if (rows.length === 0) return printMessage(`${id} has no local fields.`);
    printResult(table([...heading], rows));
  });

const listStandard = (json: boolean) =>
  withServiceRegistry(async ({ catalogs }) => {
    const { catalog } = await currentCatalog(catalogs);
    const all = resourceNames.flatMap((resource) => {
      const served = new Set(catalog.fieldsOf(resource).map(({ name }) => name));
      return catalog.dictionary
        .fieldsOf(resource)
        .map((field) => ({ resource, field, isServed: served.has(field.name) }));
    });
    if (json) {
      const listed = all.map(({ resource, field, isServed }) => ({
        resource,
        name: field.name,
        type: typeText(field),
        lookup: field.lookup ?? null,
        served: isServed,
      }));
      return printResult(JSON.stringify(listed, null, 2));
    }
    const rows = all.map(({ resource, field, isServed }) => [
      resource,
      ...cellsOf(field),
      isServed ? "served" : "off",
    ]);
    printResult(table([...heading, "STATE"], rows));
  });

const heading = ["RESOURCE", "FIELD", "TYPE", "LOOKUP", "DISPLAY NAME"] as const;

const cellsOf = (field: LocalField | Field): readonly string[] => [
  field.name,
  typeText(field),
  field.lookup ?? "",
  field.displayName,
];
