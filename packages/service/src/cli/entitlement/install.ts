import {
  compileScope,
  type Entitlement,
  EntitlementError,
  inspectEntitlement,
  verifyEntitlement,
} from "@cadastre/entitlement";
import type { Catalog } from "@cadastre/reso";
import { Command } from "commander";
import { scopeOptionsOf } from "../../catalog.ts";
import type { Config } from "../../config.ts";
import { currentCatalog } from "../../data/catalogs.ts";
import type { DataFolder } from "../../data/data-folder.ts";
import type { Registry } from "../../data/registry.ts";
import { takesEffectText } from "../../takes-effect.ts";
import { audited, auditOf } from "../audited.ts";
import { CommandRefused, printMessage, printResult } from "../outcome.ts";
import { instantText } from "./describe.ts";
import { namingInputs, readInput } from "./files.ts";

type Options = { readonly json?: true };

export const installCommand = (): Command =>
  new Command("install")
    .description("Put an entitlement in force for its customer, if the service trusts it.")
    .argument("<entitlement>", "file of the entitlement, or - for standard input")
    .option("--json", "print JSON")
    .action((file: string, options: Options) =>
      namingInputs({ entitlement: file }, () => install(file, options)),
    );

async function install(file: string, { json }: Options): Promise<void> {
  // Imported here because the commands of an issuer need no database.
  const { withServiceRegistry } = await import("../data.ts");
  await withServiceRegistry(async (registry, folder, config) => {
    const { customer, version, exp, installed } = await installAudited(
      () => readInput(file),
      registry,
      folder,
      config,
    );
    if (json) return printResult(JSON.stringify({ customer, version, expires: exp, installed }));
    printMessage(
      installed
        ? `Version ${version} for ${customer} is in force until ${instantText(exp)}. ${takesEffectText("follows")}`
        : `Version ${version} for ${customer} was installed before.`,
    );
  });
}

/**
 * Verifies an entitlement, installs it and records that in the audit trail of the folder.
 *
 * @returns `installed`: false if the identical document was installed before
 */
export function installAudited(
  readJws: () => Promise<string>,
  { entitlements, catalogs }: Pick<Registry, "entitlements" | "catalogs">,
  folder: DataFolder,
  config: Config,
) {
  const action = { action: "entitlement.install", ...auditOf(folder, config) } as const;
  return audited(action, async (know) => {
    const jws = await readJws();
    const {
      sub: customer,
      ver: version,
      exp,
      jti: id,
    } = await verify(jws, config, folder, (await currentCatalog(catalogs)).catalog);
    know({ id, customer, version });
    const installed = await entitlements.install({ customer, version, jws, installed: Date.now() });
    if (!installed) know({ replayed: true });
    return { customer, version, exp, installed };
  });
}

/** Verifies an entitlement as the service would, so that nothing is installed that it would refuse. */
async function verify(
  jws: string,
  config: Config,
  folder: DataFolder,
  catalog: Catalog,
): Promise<Entitlement> {
  const { openTrust, trustedKeySet } = await import("../../access/trust.ts");
  const trust = await openTrust(config, folder);
  try {
    const document = await verifyEntitlement(jws, { ...trust, now: () => new Date() });
    compileScope(document, scopeOptionsOf(catalog));
    return document;
  } catch (error) {
    throw withRemedy(error, jws, trustedKeySet(config));
  } finally {
    trust.keys.close();
  }
}

/** Returns the error of a verification, with what the operator can do about an unknown key or the time. */
function withRemedy(error: unknown, jws: string, keySet: string): unknown {
  if (!(error instanceof EntitlementError)) return error;
  const { code, message } = error;
  const refused = (words: string) =>
    new CommandRefused(`${message}${words}`, { failureCode: code, cause: error });
  if (code === "entitlement_unknown_key")
    return refused(`, \`${inspectEntitlement(jws).kid}\`: the service trusts the keys of ${keySet} alone`);
  if (code === "entitlement_expired")
    return refused(`, at ${instantText(inspectEntitlement(jws).document.exp)}: sign a new one`);
  return error;
}
