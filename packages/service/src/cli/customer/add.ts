import type { Entitlement } from "@cadastre/entitlement";
import { Command } from "commander";
import { takesEffectText } from "../../takes-effect.ts";
import { withServiceRegistry } from "../data.ts";
import { instantText } from "../entitlement/describe.ts";
import { readGrantCatalog } from "../entitlement/grant-catalog.ts";
import { formatGrants } from "../entitlement/grant-table.ts";
import { installAudited } from "../entitlement/install.ts";
import { tellDocument } from "../entitlement/new.ts";
import { signAudited, tellDisclosures } from "../entitlement/sign.ts";
import { issueAudited } from "../key-actions.ts";
import { CommandRefused, printMessage, printResult } from "../outcome.ts";
import { completeDocument } from "./draft.ts";
import { type SigningOptions, signingOptions } from "./options.ts";
import { requestsToTry } from "./requests-to-try.ts";
import { signerFor } from "./signer.ts";

/** `cadastre customer add` */
export function addCustomerCommand(): Command {
  const command = new Command("add")
    .description("Give a new customer access: make, sign and install its entitlement, and issue its API key.")
    .argument("<customer>", "name of the customer: letters, digits, `_`, `.` and `-`")
    .action(add);
  for (const option of signingOptions()) command.addOption(option);
  return command;
}

const add = (customer: string, { issuerKey, dryRun, json, ...options }: SigningOptions) =>
  withServiceRegistry(async (registry, folder, config) => {
    const { entitlements } = registry;
    const installed = await entitlements.find(customer);
    if (installed !== undefined)
      throw new CommandRefused(
        `${customer} is a customer already, with version ${installed.version} of its entitlement: \`cadastre customer change ${customer}\` changes what it sees, and \`cadastre key create ${customer}\` makes another key`,
      );
    const signer = dryRun ? undefined : await signerFor(issuerKey, registry, folder, config);
    const catalog = await readGrantCatalog();
    const version = (await entitlements.lastVersion(customer)) + 1;
    const document = await completeDocument({ customer, version }, options, config, catalog);
    if (options.template === undefined) printMessage(formatGrants(document, catalog));
    else tellDocument(document, options.template, catalog);
    tellDisclosures(document, catalog.catalog);
    if (signer === undefined) return printResult(documentText(document));
    const jws = await signAudited(document, signer.key, signer.audit);
    await installAudited(async () => jws, registry, folder, config);
    const { apiKey, added } = await issueAudited(customer, null, registry, folder, config).catch(
      (cause: unknown) => {
        printMessage(
          `The entitlement is installed, and there is no key yet: \`cadastre key create ${customer}\``,
        );
        throw cause;
      },
    );
    const requests = requestsToTry(document.channels, config);
    if (json)
      return printResult(
        JSON.stringify({ customer, version, document, keyId: added.id, apiKey, requests }, null, 2),
      );
    printMessage(`${customer} has access until ${instantText(document.exp)}. ${takesEffectText("knows")}`);
    printMessage(`Its document as JSON: \`cadastre customer show ${customer} --document\`.`);
    printMessage("To try, with the key in the variable KEY:");
    for (const request of requests) printMessage(`  ${request}`);
    printMessage(`The key ${added.id}. This is the only time that it is shown:`);
    printResult(apiKey);
  });

/** Returns the text of a document to edit, without what is filled in when it is signed. */
export function documentText(document: Entitlement): string {
  const { iat: _, nbf: _1, exp: _2, jti: _3, ...draft } = document;
  return JSON.stringify(draft, null, 2);
}
