import { signEntitlement } from "@cadastre/entitlement";
import { expect, test } from "vitest";
import { audience, issuer, readIssuer } from "../src/access/demo-issuer.ts";
import { withRegistry } from "../src/data/registry.ts";
import { demoCustomers } from "../src/demo/customers.ts";
import { startService } from "../src/service.ts";
import { ask, toCollection, toError } from "./support/ask.ts";
import { run } from "./support/running.ts";

const property = "/reso/odata/Property";

test("the caller's own token of an older scope says that the entitlement has changed", async () => {
  const running = await run({ CADASTRE_LISTINGS: "50", CADASTRE_BASE_URL: "https://feed.example/lds/" });
  const headers = { "x-api-key": running.key("market") };
  const page = toCollection(
    await ask(`http://127.0.0.1:${running.service.port}`, `${property}?$top=1`, headers),
  );
  expect(page["@odata.context"]).toBe("https://feed.example/lds/reso/odata/$metadata#Property");
  const link = (page["@odata.nextLink"] ?? "").replace("https://feed.example/lds", "");
  await running.service.stop();

  const signer = await readIssuer(running.folder);
  const now = Math.floor(Date.now() / 1000);
  const document = {
    iss: issuer,
    aud: audience,
    sub: "demo-market",
    ver: 2,
    iat: now,
    nbf: now,
    exp: now + 60,
    jti: "2",
  };
  const wider = demoCustomers[0]?.grants;
  if (wider === undefined) throw new RangeError("there is no demo customer");
  const jws = await signEntitlement({ ...document, ...wider }, signer);
  await withRegistry(running.folder, ({ entitlements }) =>
    entitlements.install({ customer: "demo-market", version: 2, jws, installed: Date.now() }),
  );
  const service = await startService({ ...running.config, baseUrl: undefined }, running.folder);
  const reply = await ask(service.baseUrl, link, headers);
  expect([reply.status, toError(reply).code, toError(reply).target]).toEqual([
    403,
    "entitlement_changed",
    "$skiptoken",
  ]);
  expect(reply.headers["entitlement-version"]).toBe("2");
  await service.stop();
});
