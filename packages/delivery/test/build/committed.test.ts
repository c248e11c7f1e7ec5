import { createHash } from "node:crypto";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { CrashPoint } from "../../src/build/crash-point.ts";
import { bucketCustomer } from "../../src/testing/object-storage/customer.ts";
import { policyOf } from "../../src/testing/object-storage/onboarding.ts";
import { type Asked, type Fault, kmsKeyArns } from "../../src/testing/object-storage/server.ts";
import { caller, type Sealed, usePublishing } from "../support/object-storage/publishing.ts";
import { scopeFor } from "../support/scope.ts";
import { scratchFolder } from "../support/scratch.ts";

const folder = scratchFolder();

const { server, office } = usePublishing(join(folder, "parts"));

const incapable = scopeFor({ sub: bucketCustomer });
const narrowed = scopeFor({
  sub: bucketCustomer,
  capabilities: ["file_export_push"],
  products: ["property"],
});

const isThere = async ({ look }: Sealed) => (await look()).some(({ key }) => key === "_COMPLETE");

/** Do something when a publisher is at a point. */
const on = (wanted: CrashPoint, act: () => Promise<unknown>) => async (point: CrashPoint) => {
  if (point === wanted) await act();
};

/** Publish, and die at a point. */
async function dieAt(wanted: CrashPoint): Promise<void> {
  let isDead = false;
  const at = on(wanted, async () => {
    isDead = true;
    throw new Error("died");
  });
  await office().publish({ at, ledger: office().mortal(() => isDead) });
}

/** Have requests for ends of publications answered by an error. */
const failEnd = (method: string, fault: Fault) =>
  server().failWhen((asked: Asked) =>
    asked.method === method && asked.path.includes("/_COMPLETE") ? fault : undefined,
  );

const denied = { status: 403, code: "AccessDenied" };

describe("once its end is about to be written, a delivery becomes complete", () => {
  test.each<CrashPoint>([
    "before_put _COMPLETE",
    "after_put _COMPLETE",
    "after_check _COMPLETE",
    "before_complete",
  ])("canceled at %s, it is refused", async (point) => {
    const sealed = await office().sealed();
    const canceling = on(point, () =>
      expect(office().deliveries.cancel(caller, sealed.id)).rejects.toMatchObject({
        code: "delivery_not_open",
      }),
    );
    expect(await office().publish({ at: canceling })).toMatchObject({ outcome: "complete" });
    expect(await office().stateOf(sealed.id)).toEqual(["complete", null]);
    expect(await isThere(sealed)).toBe(true);
  });

  test("canceled after the object before, it is canceled, and has no end", async () => {
    const sealed = await office().sealed();
    const canceling = on("after_check manifest.jws.json", () =>
      office().deliveries.cancel(caller, sealed.id),
    );
    expect(await office().publish({ at: canceling })).toMatchObject({ outcome: "lost" });
    expect(await office().stateOf(sealed.id)).toEqual(["canceled", "canceled_by_customer"]);
    expect(await isThere(sealed)).toBe(false);
  });

  describe.each<CrashPoint>(["before_put _COMPLETE", "after_put _COMPLETE", "before_complete"])(
    "its publisher dead at %s",
    (point) => {
      test.each([
        ["no capability", async () => incapable],
        ["another scope", async () => narrowed],
        ["nothing", async () => undefined],
      ])("granted %s meanwhile", async (_, scopeOf) => {
        const sealed = await office().sealed();
        await dieAt(point);
        expect(await office().publish({ scopeOf })).toMatchObject({
          delivery: sealed.id,
          outcome: "complete",
        });
        expect(await isThere(sealed)).toBe(true);
      });

      test("and its destination degraded meanwhile", async () => {
        const sealed = await office().sealed();
        await dieAt(point);
        const { destinations } = office().brokerage;
        const found = await destinations.find(bucketCustomer, sealed.destinationId);
        await destinations.degrade(found, "probe_denied");
        expect(await office().publish()).toMatchObject({ delivery: sealed.id, outcome: "complete" });
        expect(await isThere(sealed)).toBe(true);
      });
    },
  );

  test("its destination rotated meanwhile, it is tried until the role has the new external id", async () => {
    const sealed = await office().sealed();
    await dieAt("after_put _COMPLETE");
    const { destinations } = office().brokerage;
    const { destination, externalId = "" } = await destinations.rotate(bucketCustomer, sealed.destinationId);
    for (let attempt = 0; attempt < 3; attempt++) {
      const report = await office().publish({ attempts: 1 });
      expect(report).toMatchObject({ outcome: "sealed", code: "destination_denied" });
      expect(await office().stateOf(sealed.id)).toEqual(["sealed", "destination_denied"]);
    }
    // What a publication meets says nothing of a destination that is not verified yet.
    expect(await destinations.find(bucketCustomer, sealed.destinationId)).toMatchObject({
      state: "reserved",
    });
    const words = { ...sealed.words, EXTERNAL_ID: externalId };
    server().makeRole({
      name: destination.roleArn?.split("/").at(-1) ?? "",
      trust: policyOf("Trust policy", words),
      permissions: policyOf("Permissions", words),
    });
    expect(await office().publish()).toMatchObject({ delivery: sealed.id, outcome: "complete" });
  });

  test.each(["HEAD", "PUT"])("what is denied of it (%s) is tried again, and noted", async (method) => {
    const sealed = await office().sealed();
    failEnd(method, denied);
    for (let attempt = 0; attempt < 3; attempt++) {
      const report = await office().publish({ attempts: 1 });
      expect(report).toMatchObject({ outcome: "sealed", code: "destination_denied" });
    }
    server().failWhen(undefined);
    expect(await office().stateOf(sealed.id)).toEqual(["sealed", "destination_denied"]);
    expect(await isThere(sealed)).toBe(method === "HEAD");
    const { destinations } = office().brokerage;
    expect(await destinations.find(bucketCustomer, sealed.destinationId)).toMatchObject({
      state: "degraded",
    });
    expect(await office().publish()).toMatchObject({ outcome: "complete" });
    expect(await office().stateOf(sealed.id)).toEqual(["complete", null]);
  });

  test("encrypted with another key it is noted once, and complete the next time", async () => {
    const sealed = await office().sealed();
    const { brokerage } = office();
    const sha256 = (await brokerage.registry.deliveries.find(bucketCustomer, sealed.id))?.manifestSha256;
    const end = `{"manifestSha256":"${sha256}"}`;
    const rewrite = on("after_put _COMPLETE", () =>
      brokerage.write(`${sealed.root}_COMPLETE`, end, {
        Metadata: { sha256: createHash("sha256").update(end).digest("hex") },
        ServerSideEncryption: "aws:kms",
        SSEKMSKeyId: kmsKeyArns[1],
      }),
    );
    expect(await office().publish({ at: rewrite })).toMatchObject({
      outcome: "sealed",
      code: "destination_denied",
    });
    const degraded = { state: "degraded", failure: "kms_mismatch" };
    expect(await brokerage.destinations.find(bucketCustomer, sealed.destinationId)).toMatchObject(degraded);
    expect(await office().publish()).toMatchObject({ outcome: "complete" });
  });

  test("another end that lies there is not overwritten, and it is tried until that is gone", async () => {
    const sealed = await office().sealed();
    const key = `${sealed.root}_COMPLETE`;
    const exchange = on("before_put _COMPLETE", () => office().brokerage.write(key, "another"));
    expect(await office().publish({ at: exchange })).toMatchObject({
      outcome: "sealed",
      code: "destination_conflict",
    });
    const report = await office().publish({ attempts: 1 });
    expect(report).toMatchObject({ outcome: "sealed", code: "destination_conflict" });
    expect(await office().stateOf(sealed.id)).toEqual(["sealed", "destination_conflict"]);
    await office().brokerage.remove(key);
    expect(await office().publish()).toMatchObject({ outcome: "complete" });
    expect(await isThere(sealed)).toBe(true);
  });

  test("another end that lies there before is a conflict, as that of any object", async () => {
    const sealed = await office().sealed();
    await office().brokerage.write(`${sealed.root}_COMPLETE`, "another");
    expect(await office().publish()).toMatchObject({ outcome: "failed", code: "destination_conflict" });
  });
});
