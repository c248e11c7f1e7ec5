import { basename } from "node:path";
import type { RegistryAudit } from "@cadastre/store/registry";
import { digestApiKey, type Peppers } from "../access/pepper.ts";
import type { Config } from "../config.ts";
import { type DataFolder, readIfExists } from "../data/data-folder.ts";
import { idOf } from "../demo/customers.ts";
import { parseDemo } from "../demo/demo-file.ts";
import { hasKey, parseKeyPair, parseKeySet } from "../demo/issuer.ts";
import type { Finding } from "./findings.ts";

/** Checks that the keys in `demo.json` are in force. A folder may have no such file. */
export async function* checkDemoKeys(
  audit: RegistryAudit,
  { demo: file }: DataFolder,
  peppers: Peppers,
): AsyncGenerator<Finding> {
  const subject = basename(file);
  const demo = await parsed(file, parseDemo);
  if (demo === "damaged") yield { code: "file_damaged", subject, detail: "it cannot be read" };
  if (demo === "missing" || demo === "damaged") return;
  for (const { name, apiKey } of demo.keys) {
    const customers = peppers.map((pepper) =>
      audit.customerOfKey(digestApiKey(apiKey, pepper).digest, Date.now()),
    );
    if (!customers.includes(idOf({ name })))
      yield {
        code: "demo_key_invalid",
        subject,
        detail: `the registry has no valid key \`${name}\` of this text`,
      };
  }
}

/** Checks the key pair of the demo's issuer. Another issuer may be trusted in its place. */
export async function* checkIssuer(
  audit: RegistryAudit,
  { issuer, publicKeys }: DataFolder,
  { trust }: Pick<Config, "trust">,
): AsyncGenerator<Finding> {
  const subject = basename(issuer);
  const pair = await parsed(issuer, parseKeyPair);
  if (pair === "damaged")
    yield { code: "file_damaged", subject, detail: "it does not hold a private key and its public key" };
  if (trust !== undefined || pair === "damaged") return;
  if (pair === "missing") {
    for (const _ of audit.entitlements())
      return yield {
        code: "file_missing",
        subject,
        detail: "it does not exist, and the registry has entitlements",
      };
    return;
  }
  const keySet = await parsed(publicKeys, parseKeySet);
  if (keySet === "damaged" || keySet === "missing" || !hasKey(keySet, pair.publicKey))
    yield {
      code: "issuer_untrusted",
      subject,
      detail: `${basename(publicKeys)} does not have its public key`,
    };
}

async function parsed<T>(file: string, parse: (text: string) => T): Promise<T | "missing" | "damaged"> {
  const text = await readIfExists(file);
  if (text === undefined) return "missing";
  try {
    return parse(text);
  } catch {
    return "damaged";
  }
}
