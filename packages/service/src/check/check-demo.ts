import { basename } from "node:path";
import { hasKey, parseKeyPair, parseKeySet } from "../access/demo-issuer.ts";
import type { Config } from "../config.ts";
import { type DataFolder, readIfExists } from "../data/data-folder.ts";
import { digestApiKey, type Peppers } from "../data/pepper.ts";
import type { ServiceAudit } from "../data/registry.ts";
import { hasAny } from "../data/registry-dependencies.ts";
import { secretPlace } from "../data/secret-place.ts";
import { idOf } from "../demo/customers.ts";
import { parseDemo } from "../demo/demo-file.ts";
import type { Finding } from "./findings.ts";
import { parseOrFinding } from "./parse-or-finding.ts";

/** Checks that the keys in `demo.json` are in force. A folder may have no such file. */
export async function* checkDemoKeys(
  audit: ServiceAudit,
  { demo: file }: DataFolder,
  peppers: Peppers,
): AsyncGenerator<Finding> {
  const subject = basename(file);
  const demo = parseOrFinding(await readIfExists(file), parseDemo);
  if (demo === "file_damaged") yield { code: "file_damaged", subject, detail: "it cannot be read" };
  if (demo === "file_missing" || demo === "file_damaged") return;
  for (const { name, apiKey } of demo.keys) {
    const customers = await Promise.all(
      peppers.map((pepper) => audit.customerOfKey(digestApiKey(apiKey, pepper).digest, Date.now())),
    );
    if (!customers.includes(idOf({ name })))
      yield {
        code: "demo_key_invalid",
        subject,
        detail: `the registry has no valid key \`${name}\` of this text`,
      };
  }
}

/** Checks the key pair of the demo's issuer. With an external issuer it may be missing. */
export async function* checkIssuer(
  audit: ServiceAudit,
  folder: DataFolder,
  { trust }: Pick<Config, "trust">,
): AsyncGenerator<Finding> {
  const { subject, read } = secretPlace(folder, "issuer");
  const pair = parseOrFinding((await read())?.text, parseKeyPair);
  if (pair === "file_damaged")
    yield { code: "file_damaged", subject, detail: "it does not hold a private key and its public key" };
  if (trust !== undefined || pair === "file_damaged") return;
  if (pair === "file_missing") {
    if (await hasAny(audit.entitlements()))
      yield { code: pair, subject, detail: "it does not exist, and the registry has entitlements" };
    return;
  }
  const publicKeys = secretPlace(folder, "publicKeys");
  const keySet = parseOrFinding((await publicKeys.read())?.text, parseKeySet);
  if (keySet === "file_damaged" || keySet === "file_missing" || !hasKey(keySet, pair.publicKey))
    yield {
      code: "issuer_untrusted",
      subject,
      detail: `${publicKeys.subject} does not have its public key`,
    };
}
