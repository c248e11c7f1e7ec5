import { randomBytes } from "node:crypto";
import { openText, sealText } from "@cadastre/delivery";
import { deriveFromMasterKey, type MasterKey, type MasterKeys } from "./master-key.ts";

/** Version of the envelope `<version>.<id of the master key>.<sealed text>`. */
const envelopeVersion = "1";

const keyBytes = 32;

const sealingKeyOf = ({ key }: MasterKey): Uint8Array => deriveFromMasterKey(key, "sealing 1", keyBytes);

/** Encrypts a document of secrets under the first of the keys. The text under another name cannot be decrypted. */
export const sealDocument = (name: string, text: string, [key]: MasterKeys): string =>
  [envelopeVersion, key.id, sealText(text, name, sealingKeyOf(key), randomBytes)].join(".");

/** Returns the id of the master key under which a document was sealed. Undefined if it is no envelope of this version. */
export function masterKeyIdOf(sealed: string): string | undefined {
  const [version, id] = sealed.split(".", 2);
  return version === envelopeVersion ? id : undefined;
}

/**
 * Decrypts a document that was sealed under the key.
 *
 * @throws if it was altered, or sealed under another key or name
 */
export const openDocument = (name: string, sealed: string, key: MasterKey): string =>
  openText(sealed.slice(sealed.lastIndexOf(".") + 1), name, sealingKeyOf(key));
