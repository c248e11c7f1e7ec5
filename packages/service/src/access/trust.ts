import { EntitlementError, type KeySource, openKeySource } from "@cadastre/entitlement";
import type { Config } from "../config.ts";
import { DataError } from "../data/data-error.ts";
import type { DataFolder } from "../data/data-folder.ts";
import type { Registry } from "../data/registry.ts";
import { readSecretDocument } from "../data/secret-document.ts";
import { secretPlace } from "../data/secret-place.ts";
import { fileReason } from "../file-error.ts";
import { trustedNames } from "./demo-issuer.ts";

/** Trusted issuer of entitlements: its keys, its name (`iss`), and the name of the service in its documents (`aud`). */
export type TrustedIssuer = { readonly keys: KeySource; readonly issuer: string; readonly audience: string };

/** Returns the name of the key set whose keys are trusted, for messages. */
export const trustedKeySet = ({ trust }: Pick<Config, "trust">): string =>
  trust === undefined ? "this folder's own issuer" : trust.keySet;

type TrustOptions = {
  /** See `secretPlace`. */
  readonly registry?: Pick<Registry, "sealed">;
  /** Called with the error of each later reload that fails. */
  readonly onFailure?: (error: unknown) => void;
};

/**
 * Opens the issuer that the settings name, or else the demo's. The key source reloads the keys until it is closed.
 *
 * @throws {DataError} if the key set cannot be read
 */
export async function openTrust(
  { trust }: Pick<Config, "trust">,
  folder: DataFolder,
  { registry, onFailure }: TrustOptions = {},
): Promise<TrustedIssuer> {
  const own = secretPlace(folder, "publicKeys", registry);
  const keySet = trust?.keySet ?? own.label;
  const location =
    trust === undefined && own.kind === "registry" ? () => readSecretDocument(own, (text) => text) : keySet;
  try {
    return {
      keys: await openKeySource(location, { ...(onFailure && { onFailure }) }),
      ...trustedNames({ trust }),
    };
  } catch (error) {
    if (!(error instanceof EntitlementError)) throw error;
    const remedy =
      trust === undefined
        ? "put back a copy of it, or start again, which writes it anew"
        : "set CADASTRE_KEY_SET to the JWKS of your issuer";
    const { reason = "" } = error.details;
    const told =
      error.code === "key_set_unreadable" && /^E[A-Z]+$/.test(reason)
        ? `the key set cannot be read: ${fileReason({ code: reason })}`
        : error.message;
    throw new DataError(`${keySet}: ${told}: ${remedy}`, { cause: error });
  }
}
