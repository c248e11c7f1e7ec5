import { Command } from "commander";
import { checkDocumentCommand } from "./entitlement/check.ts";
import { diffCommand } from "./entitlement/diff.ts";
import { explainCommand } from "./entitlement/explain.ts";
import { inspectCommand } from "./entitlement/inspect.ts";
import { installCommand } from "./entitlement/install.ts";
import { keygenCommand } from "./entitlement/keygen.ts";
import { listCommand } from "./entitlement/list.ts";
import { newCommand } from "./entitlement/new.ts";
import { signCommand } from "./entitlement/sign.ts";
import { simulateCommand } from "./entitlement/simulate.ts";
import { verifyEntitlementCommand } from "./entitlement/verify.ts";

/** `cadastre entitlement …`: the commands of an issuer, which has the private key, and of a service, which does not need it. */
export const entitlementCommand = (): Command =>
  new Command("entitlement")
    .description("Sign entitlements, look at them, and put them in force.")
    .addCommand(keygenCommand())
    .addCommand(newCommand())
    .addCommand(checkDocumentCommand())
    .addCommand(diffCommand())
    .addCommand(explainCommand())
    .addCommand(simulateCommand())
    .addCommand(signCommand())
    .addCommand(verifyEntitlementCommand())
    .addCommand(inspectCommand())
    .addCommand(installCommand())
    .addCommand(listCommand());
