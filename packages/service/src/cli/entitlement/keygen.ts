import { existsSync } from "node:fs";
import { generateKeyPair, type KeyPair } from "@cadastre/entitlement";
import { Command } from "commander";
import { audited, issuerAudit } from "../audited.ts";
import { printMessage, printResult } from "../outcome.ts";
import { replacePublic, writePrivate } from "./files.ts";
import { addToKeySet, newKeySet } from "./issuer-file.ts";

type Options = { readonly out: string; readonly jwks?: string; readonly json?: true };

/** `cadastre entitlement keygen`: makes an issuer's key pair, and prints its key id. */
export const keygenCommand = (): Command =>
  new Command("keygen")
    .description("Make an issuer's key pair, and print its key id.")
    .requiredOption("--out <file>", "the private key; a new file, for its owner alone")
    .option("--jwks <file>", "the key set that services verify with; the public key is added to it")
    .option("--json", "print JSON")
    .action(keygen);

async function keygen({ out, jwks, json }: Options): Promise<void> {
  const { kid, publicKey } = await createIssuerKey({ out, ...(jwks === undefined ? {} : { jwks }) });
  printResult(json ? JSON.stringify({ kid, publicKey }) : kid);
}

/** Makes an issuer's key pair: writes the private key to a new file, and adds the public one to a key set. */
export async function createIssuerKey({ out, jwks }: Omit<Options, "json">): Promise<KeyPair> {
  const pair = await generateKeyPair();
  // The key set is read before anything is written, so that an invalid one leaves no private key behind.
  const set =
    jwks !== undefined && existsSync(jwks)
      ? await addToKeySet(jwks, pair.publicKey)
      : newKeySet(pair.publicKey);
  const action = { action: "issuer_key.create", object: { id: pair.kid }, ...issuerAudit(out) } as const;
  await audited(action, () => writePrivate(out, JSON.stringify(pair, null, 2)));
  printMessage(
    `The private key is in ${out}. Keep it where entitlements are signed, away from every service.`,
  );
  if (jwks !== undefined) {
    await replacePublic(jwks, set.text);
    printMessage(`The public key is in ${jwks}, which has ${set.size} ${set.size === 1 ? "key" : "keys"}.`);
  }
  return pair;
}
