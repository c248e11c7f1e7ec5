import { join } from "node:path";
import { cadastre } from "./cli.ts";

/**
 * Creates the key of an issuer in a folder, `key.json`. Returns the environment of a service that trusts it, with its data in the same
 * folder.
 */
export async function createOwnIssuer(folder: string): Promise<Readonly<Record<string, string>>> {
  const keySet = join(folder, "keys.json");
  const environment = {
    CADASTRE_DATA: join(folder, "data"),
    CADASTRE_KEY_SET: keySet,
    CADASTRE_ISSUER: "https://issuer.example",
    CADASTRE_AUDIENCE: "cadastre",
  };
  const keygen = ["entitlement", "keygen", "--out", join(folder, "key.json"), "--jwks", keySet];
  const { code, stderr } = await cadastre(keygen, { environment });
  if (code !== 0) throw new Error(stderr);
  return environment;
}
