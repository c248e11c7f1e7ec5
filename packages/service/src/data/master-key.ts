import { createSecretKey, hkdfSync, type KeyObject } from "node:crypto";

/** Key under which the documents of secrets in the registry are encrypted. `KeyObject` prints no secret. */
export type MasterKey = {
  /** Recognises the key without disclosing it. */
  readonly id: string;
  readonly key: KeyObject;
};

/** Master keys of a process. The first one seals, all of them open. */
export type MasterKeys = readonly [MasterKey, ...MasterKey[]];

const idBytes = 6;

/** Derives bytes for one purpose from a master key. */
export const deriveFromMasterKey = (key: KeyObject, purpose: string, bytes: number): Buffer =>
  Buffer.from(hkdfSync("sha256", key, "", `cadastre master key: ${purpose}`, bytes));

/** Patterns of 32 bytes: base64 and base64url with or without padding, and hexadecimal. */
const encodings = [
  [/^[\w+/-]{43}=?$/, "base64"],
  [/^[\da-f]{64}$/i, "hex"],
] as const;

function toMasterKey(text: string): MasterKey | undefined {
  const encoding = encodings.find(([pattern]) => pattern.test(text))?.[1];
  if (encoding === undefined) return undefined;
  const key = createSecretKey(Buffer.from(text, encoding));
  return { id: deriveFromMasterKey(key, "id", idBytes).toString("hex"), key };
}

/** Parses master keys, with white space between. Undefined if one of them is not 32 bytes. */
export function toMasterKeys(text: string): MasterKeys | undefined {
  const keys = text.trim().split(/\s+/).map(toMasterKey);
  const [first, ...others] = keys.filter((key) => key !== undefined);
  return first === undefined || others.length + 1 < keys.length ? undefined : [first, ...others];
}
