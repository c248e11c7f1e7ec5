import { Command } from "commander";
import { takesEffectText } from "../../takes-effect.ts";
import { withServiceRegistry } from "../data.ts";
import { instantText } from "../entitlement/describe.ts";
import { differenceOf } from "../entitlement/difference.ts";
import { differenceLines } from "../entitlement/difference-text.ts";
import { installedOf } from "../entitlement/document-source.ts";
import { readGrantCatalog } from "../entitlement/grant-catalog.ts";
import { installAudited } from "../entitlement/install.ts";
import { signAudited, tellDisclosures } from "../entitlement/sign.ts";
import { CommandRefused, printMessage, printResult } from "../outcome.ts";
import { completeDocument } from "./draft.ts";
import { type SigningOptions, signingOptions } from "./options.ts";
import { signerFor } from "./signer.ts";

/** `cadastre customer change` */
export function changeCustomerCommand(): Command {
  const command = new Command("change")
    .description(
      "Change what a customer sees: say the difference, sign the next version and install it. Keys stay.",
    )
    .argument("<customer>", "name of the customer")
    .action(change);
  for (const option of signingOptions()) command.addOption(option);
  return command;
}

const change = (customer: string, { issuerKey, dryRun, json, ...given }: SigningOptions) =>
  withServiceRegistry(async (registry, folder, config) => {
    const installed = await installedOf(customer, registry);
    const signer = dryRun ? undefined : await signerFor(issuerKey, registry, folder, config);
    const catalog = await readGrantCatalog();
    const before = installed.document;
    const version = installed.version + 1;
    const document = await completeDocument({ customer, version, present: before }, given, config, catalog);
    const difference = differenceOf(before, document, catalog);
    const lines = differenceLines(difference, catalog);
    if (lines.length === 0)
      throw new CommandRefused(`nothing changes for ${customer}: the document grants what is in force`);
    if (!json) for (const line of lines) printResult(line);
    tellDisclosures(document, catalog.catalog);
    if (signer === undefined) {
      if (json) printResult(JSON.stringify({ customer, version, difference }));
      return printMessage("Nothing was changed.");
    }
    const jws = await signAudited(document, signer.key, signer.audit);
    await installAudited(async () => jws, registry, folder, config);
    if (json) return printResult(JSON.stringify({ customer, version, difference }));
    printMessage(
      `Version ${version} for ${customer} is in force until ${instantText(document.exp)}. ${takesEffectText("follows")}`,
    );
  });
