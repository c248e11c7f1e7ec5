import { randomUUID } from "node:crypto";
import { type Entitlement, parseEntitlement, signEntitlement } from "@cadastre/entitlement";
import { readIssuer } from "../../src/access/demo-issuer.ts";
import { withRegistry } from "../../src/data/registry.ts";
import type { Running } from "./running.ts";

/** Installs the next version of a demo customer's entitlement. */
export async function entitle(
  { folder }: Pick<Running, "folder">,
  customer: string,
  change: (before: Entitlement) => Entitlement,
): Promise<void> {
  const signer = await readIssuer(folder);
  await withRegistry(folder, async ({ entitlements }) => {
    const installed = await entitlements.find(`demo-${customer}`);
    const [, payload = ""] = installed?.jws.split(".") ?? [];
    const before = parseEntitlement(JSON.parse(Buffer.from(payload, "base64url").toString()));
    const document = { ...change(before), ver: before.ver + 1, jti: randomUUID() };
    await entitlements.install({
      customer: `demo-${customer}`,
      version: document.ver,
      jws: await signEntitlement(document, signer),
      installed: Date.now(),
    });
  });
}
