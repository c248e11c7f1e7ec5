import { Command } from "commander";
import { withServiceRegistry } from "../data.ts";
import { describeEntitlement } from "../entitlement/describe.ts";
import { installedOf, stateOfInstalled } from "../entitlement/document-source.ts";
import { readGrantCatalog } from "../entitlement/grant-catalog.ts";
import { formatGrants } from "../entitlement/grant-table.ts";
import { formatKeys, keyJson } from "../key-view.ts";
import { printMessage, printResult } from "../outcome.ts";
import { documentText } from "./add.ts";
import { json } from "./options.ts";

type Options = { readonly json?: true; readonly document?: true };

/** `cadastre customer show` */
export const showCustomerCommand = (): Command =>
  new Command("show")
    .description("Show what a customer is granted, whether that is in force, and its API keys.")
    .argument("<customer>", "name of the customer")
    .option("--document", "print the document alone, to edit")
    .addOption(json())
    .action(show);

const show = (customer: string, { json: isJson, document: isDocument }: Options) =>
  withServiceRegistry(async (registry, folder, config) => {
    const at = Date.now();
    const installed = await installedOf(customer, registry);
    const { document } = installed;
    if (isDocument) return printResult(documentText(document));
    const { isInForce, sentence } = await stateOfInstalled(installed, config, folder, at);
    const keys = await registry.keys.list(customer);
    if (isJson)
      return printResult(
        JSON.stringify(
          { customer, isInForce, state: sentence, document, keys: keys.map((key) => keyJson(key, at)) },
          null,
          2,
        ),
      );
    printResult(`state         ${sentence}`);
    printResult(describeEntitlement({ ...document, datasets: [] }));
    printResult(`\n${formatGrants(document, await readGrantCatalog())}`);
    if (keys.length === 0) printMessage(`No API keys: \`cadastre key create ${customer}\` makes one.`);
    else printResult(`\n${formatKeys(keys, at)}`);
  });
