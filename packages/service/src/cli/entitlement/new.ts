import { Command, Option } from "commander";
import { readConfig } from "../../config.ts";
import { catalogOption } from "../catalog.ts";
import { printMessage, printResult } from "../outcome.ts";
import { writeNew } from "./files.ts";
import { type GrantCatalog, readGrantCatalog } from "./grant-catalog.ts";
import { formatGrants } from "./grant-table.ts";
import {
  type DraftEntitlement,
  documentOf,
  placeholderCustomer,
  type TemplateChoices,
} from "./new-document.ts";
import { readNames, readRegions } from "./option-values.ts";
import { entitlementTemplates, type TemplateName } from "./templates.ts";

type Options = Omit<TemplateChoices, "version"> & { readonly out?: string; readonly catalog?: string };

/** Returns the options that choose a template, its systems and its regions. */
export const templateOptions = () => ({
  template: new Option("--template <name>", "kind of licence").choices(Object.keys(entitlementTemplates)),
  systems: new Option("--systems <ids>", "systems, with commas between, or `all`").argParser(readNames),
  regions: new Option(
    "--regions <regions>",
    "where rows may lie, such as `state:TX,county:OR/Lane`; everywhere, if left out",
  ).argParser(readRegions),
});

export function newCommand(): Command {
  const { template, systems, regions } = templateOptions();
  return new Command("new")
    .description("Write the document of an entitlement from a template, to edit and sign.")
    .addOption(template.makeOptionMandatory())
    .addOption(systems.makeOptionMandatory())
    .addOption(regions)
    .option("--customer <name>", "the customer that it is for", placeholderCustomer)
    .option("--out <file>", "write it to a new file")
    .addOption(catalogOption())
    .addHelpText("after", templatesHelp())
    .action(create);
}

const templatesHelp = () =>
  [
    "",
    "Templates:",
    ...Object.entries(entitlementTemplates).map(([name, { purpose }]) => `  ${name.padEnd(12)}${purpose}`),
  ].join("\n");

async function create({ out, catalog: given, ...choices }: Options): Promise<void> {
  const catalog = await readGrantCatalog(given);
  const document = await documentOf({ ...choices, version: 1 }, readConfig(process.env), catalog);
  const text = JSON.stringify(document, null, 2);
  if (out === undefined) printResult(text);
  else await writeNew(out, text);
  tellDocument(document, choices.template, catalog);
  if (choices.customer === placeholderCustomer)
    printMessage(
      `The document is for \`${placeholderCustomer}\`: put the name of the customer in \`sub\`, or say \`--customer\`.`,
    );
  if (out !== undefined)
    printMessage(`Wrote ${out}. Next: edit it, \`cadastre entitlement check ${out}\`, and sign it.`);
}

/** Prints to standard error what a new document grants, and what its customer has to obey. */
export function tellDocument(
  document: DraftEntitlement,
  template: TemplateName,
  catalog: GrantCatalog,
): void {
  const { purpose, obligations, leavesOut } = entitlementTemplates[template];
  printMessage(`Template ${template}: ${purpose}`);
  printMessage(formatGrants(document, catalog));
  if (leavesOut !== null)
    printMessage("Local fields are not in it: add the names of those that the licence allows.");
  for (const obligation of obligations) printMessage(`To be obeyed: ${obligation}`);
}
