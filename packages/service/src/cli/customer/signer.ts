import type { SigningKey } from "@cadastre/entitlement";
import { readIssuer } from "../../access/demo-issuer.ts";
import type { Config } from "../../config.ts";
import type { DataFolder } from "../../data/data-folder.ts";
import type { Registry } from "../../data/registry.ts";
import { type ActionAudit, auditOf, issuerAudit } from "../audited.ts";
import { readIssuerFile } from "../entitlement/issuer-file.ts";
import { CommandRefused } from "../outcome.ts";

/** Key that signs an entitlement, and the audit trail for that. */
export type Signer = { readonly key: SigningKey; readonly audit: ActionAudit };

/**
 * Returns the signer of a customer's entitlement: the key in a file, or the folder's own issuer while the service trusts that.
 *
 * @throws {CommandRefused} if the service trusts another issuer and no file is given
 */
export async function signerFor(
  keyFile: string | undefined,
  registry: Registry,
  folder: DataFolder,
  config: Config,
): Promise<Signer> {
  if (keyFile !== undefined) return { key: await readIssuerFile(keyFile), audit: issuerAudit(keyFile) };
  if (config.trust !== undefined)
    throw new CommandRefused(
      `the service trusts the issuer ${config.trust.issuer}: give its private key with \`--issuer-key <file>\``,
    );
  return { key: await readIssuer(folder, registry), audit: auditOf(folder, config) };
}
