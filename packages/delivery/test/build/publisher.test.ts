import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { EntitlementError, type Scope } from "@cadastre/entitlement";
import { readManifest } from "@cadastre/manifest";
import { expect, test } from "vitest";
import type { CrashPoint } from "../../src/build/crash-point.ts";
import { digestOfToken, secretBytes, tokenOf } from "../../src/exports/grant-token.ts";
import { grantLifetime } from "../../src/exports/grants.ts";
import type { DamageReport } from "../../src/index.ts";
import { bucketCustomer } from "../../src/testing/object-storage/customer.ts";
import { caller, granted, scope, usePublishing } from "../support/object-storage/publishing.ts";
import { scopeFor } from "../support/scope.ts";
import { scratchFolder } from "../support/scratch.ts";

const folder = scratchFolder();

const { server, office } = usePublishing(join(folder, "parts"));

test("what is sealed is served once it is published, however often its publishers die", async () => {
  const { id, look } = await office().sealed();
  const met: CrashPoint[] = [];
  const seen = new Map<string, unknown>();
  // Each publisher dies at the first point that none before has met.
  while (!met.includes("after_complete")) {
    await expect(office().deliveries.manifest(caller, id)).rejects.toMatchObject({
      code: "delivery_not_complete",
    });
    let isDead = false;
    const at = (point: CrashPoint) => {
      if (met.includes(point)) return;
      met.push(point);
      isDead = true;
      throw new Error(`died at ${point}`);
    };
    await office().publish({ at, ledger: office().mortal(() => isDead), attempts: 1000 });
    for (const object of await look()) {
      expect(seen.get(object.key) ?? object).toEqual(object);
      seen.set(object.key, object);
    }
    expect(seen.has("_COMPLETE")).toBe(met.includes("after_put _COMPLETE"));
  }
  expect(met.slice(-2)).toEqual(["before_complete", "after_complete"]);
  const { parts, documents = [] } = readManifest(
    Buffer.from((await office().deliveries.manifest(caller, id)).text),
  );
  expect(documents.map(({ name }) => name)).toEqual(["schema.json", "profile.json"]);
  const files = [...parts, ...documents].map(({ name }) => name);
  const names = [...files, "manifest.json", "manifest.jws.json", "_COMPLETE"];
  expect((await look()).map(({ key }) => key)).toEqual(names.toSorted());
  // Each object has three points at which one died.
  expect(met).toHaveLength(3 * names.length + 3);
  expect(await office().publish()).toBeUndefined();
}, 60_000);

test("a delivery of mode push is read from the bucket only, and acknowledged as any other", async () => {
  const { deliveries, brokerage, asking, publish } = office();
  const request = { ...(await asking()), deliveryMode: "push" } as const;
  const { delivery } = await deliveries.create(caller, request);
  const { id } = delivery;
  const grant = {
    digest: digestOfToken(tokenOf(new Uint8Array(secretBytes))) ?? "",
    delivery: id,
    part: 0,
    customer: bucketCustomer,
    apiKey: caller.apiKey,
    scopeSha256: scope.scopeSha256,
    expires: Date.now() + grantLifetime,
  };
  // A grant that was issued before such deliveries were refused.
  await brokerage.registry.deliveries.grants.add(grant);
  const codes = () =>
    Promise.all(
      [
        deliveries.manifest(caller, id),
        deliveries.grant(caller, id, 0),
        deliveries.redeem(caller, tokenOf(new Uint8Array(secretBytes))),
      ].map((asked) => asked.then(() => "done").catch((error: { code: unknown }) => error.code)),
    );
  const thrice = (code: string) => [code, code, code];
  expect(await codes()).toEqual(thrice("delivery_not_complete"));
  await office().build();
  expect((await publish())?.outcome).toBe("complete");
  expect(await deliveries.status(caller, id)).toMatchObject({ state: "complete" });
  expect(await codes()).toEqual(thrice("delivered_to_bucket"));
  const manifestSha256 = (await brokerage.registry.deliveries.find(bucketCustomer, id))?.manifestSha256 ?? "";
  const loaded = { generation: 1, sequence: 0, manifestSha256, reference: "" };
  expect(await deliveries.acknowledge(caller, id, loaded)).toMatchObject({ first: true });
});

const narrowed = scopeFor({ ...granted, products: ["property"] });
const incapable = scopeFor({ sub: bucketCustomer });

test.each<[string, () => Promise<Scope | undefined>]>([
  ["another scope", async () => narrowed],
  ["no capability", async () => incapable],
  ["nothing", async () => undefined],
  [
    "an entitlement that has ended",
    async () => {
      throw new EntitlementError("entitlement_expired");
    },
  ],
])("%s midway cancels it, before the next object", async (_, then) => {
  const { id, look } = await office().sealed();
  let times = 0;
  const report = await office().publish({ scopeOf: () => (++times > 2 ? then() : Promise.resolve(scope)) });
  expect(report).toMatchObject({ outcome: "canceled", code: "entitlement_changed" });
  expect(await office().stateOf(id)).toEqual(["canceled", "entitlement_changed"]);
  expect(await look()).toHaveLength(2);
});

test("a destination that is not active any more fails it, before the next object", async () => {
  const { id, destinationId, look } = await office().sealed();
  const at = async (point: CrashPoint) => {
    if (point.startsWith("after_check"))
      await office().brokerage.destinations.disable(bucketCustomer, destinationId);
  };
  expect(await office().publish({ at })).toMatchObject({ outcome: "failed", code: "destination_not_active" });
  expect(await office().stateOf(id)).toEqual(["failed", "destination_not_active"]);
  expect(await look()).toHaveLength(1);
});

test("canceled by its customer it is given up, before the next object", async () => {
  const { id, look } = await office().sealed();
  const cutOff = (point: CrashPoint) => {
    if (point.startsWith("after_check")) throw new Error("cut off");
  };
  expect(await office().publish({ at: cutOff })).toMatchObject({ outcome: "sealed" });
  // The object is found, so nothing is noted of it.
  const at = async (point: CrashPoint) => {
    if (point.startsWith("after_check")) await office().deliveries.cancel(caller, id);
  };
  expect(await office().publish({ at })).toMatchObject({ outcome: "lost" });
  expect(await office().stateOf(id)).toEqual(["canceled", "canceled_by_customer"]);
  expect(await look()).toHaveLength(1);
});

test("a bucket that cannot be reached is tried again, so often since the last object that was written", async () => {
  const { id } = await office().sealed();
  server().failWhen(({ method, path }) =>
    method === "PUT" && path.includes("manifest.json") ? { status: 503, code: "SlowDown" } : undefined,
  );
  // The first attempt writes the parts, and those count from there.
  for (let attempt = 1; attempt < 3; attempt++) {
    expect(await office().publish({ attempts: 3 })).toMatchObject({
      outcome: "sealed",
      code: "bucket_unavailable",
    });
    expect(await office().stateOf(id)).toEqual(["sealed", null]);
  }
  expect(await office().publish({ attempts: 3 })).toMatchObject({
    outcome: "failed",
    code: "bucket_unavailable",
  });
  server().failWhen(undefined);
});

test("told to stop, a publisher gives it back at once", async () => {
  const { id } = await office().sealed();
  const stopping = new AbortController();
  const at = (point: CrashPoint) => {
    if (point.startsWith("after_check")) stopping.abort();
  };
  expect(await office().publish({ at, lease: 600_000 }, stopping.signal)).toMatchObject({
    outcome: "released",
  });
  expect(await office().stateOf(id)).toEqual(["sealed", null]);
  expect(await office().publish()).toMatchObject({ delivery: id, outcome: "complete" });
});

test.each<[string, (file: string) => void]>([
  ["other bytes", (file) => writeFileSync(file, readFileSync(file).reverse())],
  ["no file", (file) => rmSync(file)],
])("a part with %s is not pushed: it is rebuilt, and the publication goes on", async (_, damage) => {
  const { id, look } = await office().sealed();
  damage(await office().partOf(id));
  const reports: DamageReport[] = [];
  const onDamage = (report: DamageReport) => void reports.push(report);
  expect(await office().publish({ onDamage })).toMatchObject({ delivery: id, outcome: "sealed" });
  expect(reports).toMatchObject([{ delivery: id, part: 10 }]);
  expect(await look()).toEqual([]);
  expect(await office().rebuild()).toEqual({ delivery: id, outcome: "rebuilt" });
  expect(await office().publish({ onDamage })).toMatchObject({ delivery: id, outcome: "complete" });
  expect(reports).toHaveLength(1);
});
