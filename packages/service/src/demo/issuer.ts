import { generateKeyPair, type SigningKey } from "@cadastre/entitlement";
import { z } from "zod";
import { parseDataFile } from "../data/data-error.ts";
import { type DataFolder, readOrCreate, writeAtomically } from "../data/data-folder.ts";
import { requireUnused } from "../data/registry-needs.ts";

/** Who signs the demo's entitlements, and for which service. */
export const issuer = "https://cadastre.example/issuer";
export const audience = "cadastre";

const jwk = z.object({ kty: z.string(), kid: z.string() }).catchall(z.unknown());
const keyPair = z.object({ kid: z.string(), publicKey: jwk, privateKey: jwk });

type KeySet = { readonly keys: z.output<typeof jwk>[] };

/** The folder's issuer, made at the first start. Its public key is published beside it. */
export async function readIssuer(folder: DataFolder): Promise<SigningKey & { readonly publicKeys: KeySet }> {
  const make = async () => {
    requireUnused(folder, "issuer");
    return JSON.stringify(await generateKeyPair());
  };
  const text = await readOrCreate(folder.issuer, make);
  const { kid, publicKey, privateKey } = parseDataFile(folder.issuer, text, parseKeyPair);
  const publicKeys = { keys: [publicKey] };
  await writeAtomically(folder.publicKeys, JSON.stringify(publicKeys));
  return { kid, privateKey, publicKeys };
}

const parseKeyPair = (text: string) => keyPair.parse(JSON.parse(text));
