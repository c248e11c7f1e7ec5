import { EntitlementError, type KeySource, openKeySource } from "@cadastre/entitlement";
import type { Config } from "../config.ts";
import { DataError } from "../data/data-error.ts";
import type { DataFolder } from "../data/data-folder.ts";
import { audience, issuer } from "./demo-issuer.ts";

/** Trusted issuer of entitlements: its keys, its name (`iss`), and the name of the service in its documents (`aud`). */
export type TrustedIssuer = { readonly keys: KeySource; readonly issuer: string; readonly audience: string };

/**
 * Opens the issuer that the settings name, or else the data folder's own. The key source reloads the keys until it is closed.
 *
 * @param onFailure called with the error of each later reload that fails
 * @throws {DataError} if the key set cannot be read
 */
export async function openTrust(
  { trust }: Pick<Config, "trust">,
  folder: DataFolder,
  onFailure?: (error: unknown) => void,
): Promise<TrustedIssuer> {
  const { keySet, ...names } = trust ?? { keySet: folder.publicKeys, issuer, audience };
  try {
    return { keys: await openKeySource(keySet, { ...(onFailure && { onFailure }) }), ...names };
  } catch (error) {
    if (!(error instanceof EntitlementError)) throw error;
    const remedy =
      trust === undefined
        ? "put back a copy of it, or start again, which writes it anew"
        : "set CADASTRE_KEY_SET to the JWKS of your issuer";
    throw new DataError(`${keySet}: ${error.message}: ${remedy}`, { cause: error });
  }
}
