import { Command } from "commander";
import { inspectCommand } from "./entitlement/inspect.ts";
import { keygenCommand } from "./entitlement/keygen.ts";
import { signCommand } from "./entitlement/sign.ts";
import { verifyCommand } from "./entitlement/verify.ts";

/** `cadastre entitlement …`: what an issuer does. A service needs none of it, and no private key. */
export const entitlementCommand = (): Command =>
  new Command("entitlement")
    .description("Sign entitlements, and look at them.")
    .addCommand(keygenCommand())
    .addCommand(signCommand())
    .addCommand(verifyCommand())
    .addCommand(inspectCommand());
