import { type ConfirmFlags, yesOption } from "@cadastre/client/terminal";
import { isInForce } from "@cadastre/store/registry";
import { Command } from "commander";
import { takesEffectText } from "../../takes-effect.ts";
import { audited, auditOf } from "../audited.ts";
import { confirmDeletion } from "../confirmed.ts";
import { withServiceRegistry } from "../data.ts";
import { installedOf } from "../entitlement/document-source.ts";
import { revokeAudited } from "../key-actions.ts";
import { printMessage, printResult } from "../outcome.ts";
import { json } from "./options.ts";

type Options = ConfirmFlags & { readonly json?: true };

/** `cadastre customer remove` */
export const removeCustomerCommand = (): Command =>
  new Command("remove")
    .description("Take a customer's access away: revoke its API keys, and remove its entitlement.")
    .argument("<customer>", "name of the customer")
    .addOption(yesOption())
    .addOption(json())
    .action(remove);

const remove = (customer: string, { yes, json: isJson }: Options) =>
  withServiceRegistry(async (registry, folder, config) => {
    const at = Date.now();
    const { version } = await installedOf(customer, registry);
    const keys = (await registry.keys.list(customer)).filter((key) => isInForce(key, at));
    const count = `${keys.length} ${keys.length === 1 ? "API key" : "API keys"}`;
    await confirmDeletion(
      { yes },
      `This revokes ${count} of ${customer} and removes version ${version} of its entitlement; deliveries that are being built are canceled, and subscriptions are suspended`,
    );
    for (const { id } of keys) await revokeAudited(id, at, registry, folder, config);
    const object = { customer, version };
    await audited({ action: "entitlement.remove", object, ...auditOf(folder, config) }, () =>
      registry.entitlements.remove(customer, at),
    );
    if (isJson) return printResult(JSON.stringify({ customer, version, revoked: keys.map(({ id }) => id) }));
    printMessage(
      `Revoked ${count} of ${customer}, and removed its entitlement. ${takesEffectText("knows")} What was delivered stays with the customer.`,
    );
  });
