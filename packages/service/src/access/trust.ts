import { EntitlementError, type KeySource, openKeySource } from "@cadastre/entitlement";
import type { Config } from "../config.ts";
import { DataError } from "../data/data-error.ts";
import type { DataFolder } from "../data/data-folder.ts";
import { audience, issuer } from "../demo/issuer.ts";

/** Whom the service trusts to sign, and what it is called in what they sign. */
export type Trust = { readonly keys: KeySource; readonly issuer: string; readonly audience: string };

/**
 * Whom the settings name, else the folder's own issuer. The keys are followed until their source is closed.
 *
 * @param onFailure told of every later reading that failed
 * @throws {DataError} if the key set cannot be read now.
 */
export async function openTrust(
  { trust }: Pick<Config, "trust">,
  folder: DataFolder,
  onFailure?: (error: unknown) => void,
): Promise<Trust> {
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
