import { createSecretKey, hkdfSync, type KeyObject, randomBytes } from "node:crypto";
import { openText, sealText } from "@cadastre/delivery";

/** Key under which the documents of secrets in the registry are encrypted. `KeyObject` prints no secret. */
export type MasterKey = {
  /** Recognises the key without disclosing it. */
  readonly id: string;
  readonly key: KeyObject;
};

/** Master keys of a process. The first one seals, all of them open. */
export type MasterKeys = readonly [MasterKey, ...MasterKey[]];

const keyBytes = 32;
const idBytes = 6;

/** Version of the envelope `<version>.<id of the master key>.<sealed text>`. */
const envelopeVersion = "1";

const derive = (key: KeyObject, purpose: string, bytes: number): Buffer =>
  Buffer.from(hkdfSync("sha256", key, "", `cadastre master key: ${purpose}`, bytes));

const sealingKeyOf = ({ key }: MasterKey): Uint8Array => derive(key, "sealing 1", keyBytes);

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

/** Patterns of 32 bytes: base64 and base64url with or without padding, and hexadecimal. */
const encodings = [
  [/^[\w+/-]{43}=?$/, "base64"],
  [/^[\da-f]{64}$/i, "hex"],
] as const;

function toMasterKey(text: string): MasterKey | undefined {
  const encoding = encodings.find(([pattern]) => pattern.test(text))?.[1];
  if (encoding === undefined) return undefined;
  const key = createSecretKey(Buffer.from(text, encoding));
  return { id: derive(key, "id", idBytes).toString("hex"), key };
}

/** Parses master keys, with white space between. Undefined if one of them is not 32 bytes. */
export function toMasterKeys(text: string): MasterKeys | undefined {
  const keys = text.trim().split(/\s+/).map(toMasterKey);
  const [first, ...others] = keys.filter((key) => key !== undefined);
  return first === undefined || others.length + 1 < keys.length ? undefined : [first, ...others];
}
