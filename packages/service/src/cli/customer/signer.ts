import type { SigningKey } from "@cadastre/entitlement";
import { readIssuer } from "../../access/demo-issuer.ts";
import { openTrust, trustedKeySet } from "../../access/trust.ts";
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
 * @throws {CommandRefused} if the service does not trust the key, or trusts another issuer and no file is given
 */
export async function signerFor(
  keyFile: string | undefined,
  registry: Registry,
  folder: DataFolder,
  config: Config,
): Promise<Signer> {
  if (keyFile !== undefined) {
    const key = await readIssuerFile(keyFile);
    await requireTrusted(key, keyFile, folder, config);
    return { key, audit: issuerAudit(keyFile) };
  }
  if (config.trust !== undefined)
    throw new CommandRefused(
      `the service trusts the issuer ${config.trust.issuer}: give its private key with \`--issuer-key <file>\``,
    );
  return { key: await readIssuer(folder, registry), audit: auditOf(folder, config) };
}

async function requireTrusted(
  { kid }: SigningKey,
  keyFile: string,
  folder: DataFolder,
  config: Config,
): Promise<void> {
  const { keys } = await openTrust(config, folder);
  const found = await keys.find(kid).finally(() => keys.close());
  if (found !== undefined) return;
  throw new CommandRefused(
    `nothing is signed: the service trusts the keys of ${trustedKeySet(config)} alone, and the key of ${keyFile}, \`${kid}\`, is none of them. Give the issuer's private key with \`--issuer-key <file>\``,
  );
}
