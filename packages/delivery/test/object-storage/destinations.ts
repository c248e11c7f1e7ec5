import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createDestinations } from "../../src/destinations/destinations.ts";
import {
  bucketCustomer,
  type Customer,
  makeCustomer,
  type Onboarding,
} from "../../src/testing/object-storage/customer.ts";
import { policyOf } from "../../src/testing/object-storage/onboarding.ts";
import { kmsKeyArns, type ObjectServer, servicePrincipal } from "../../src/testing/object-storage/server.ts";
import { codeOf, objectOf, textAt, withoutOverwriting } from "./buckets.ts";

/** Returns a function that changes each statement of a policy; a statement changed to undefined is left out. */
const changing =
  (change: (statement: Record<string, unknown>) => Record<string, unknown> | undefined) =>
  (policy: string): string => {
    const { Statement, ...rest } = JSON.parse(policy) as { Statement: readonly Record<string, unknown>[] };
    return JSON.stringify({ ...rest, Statement: Statement.flatMap((one) => change(one) ?? []) });
  };

const without = (action: string) =>
  changing((statement) => {
    const left = [statement["Action"]].flat().filter((one) => one !== action);
    return left.length === 0 ? undefined : { ...statement, Action: left };
  });

const conditionless = changing((statement) => ({ ...statement, Condition: undefined }));

/** Returns the destinations of a customer by a service whose operator allows the server as a store in a private network. */
const atOwnStore = ({ registry, access }: Customer, { endpoint }: ObjectServer) => ({
  destinations: createDestinations({
    registry: registry.destinations,
    key: Buffer.alloc(32, 7),
    // Neither the server nor the keys of the service may be used for a store of the customer.
    access: { retryPolicy: access.retryPolicy },
    terms: { privateStores: [endpoint] },
  }),
});

/** A key that does not exist on the server, and that the role has no permission for. */
const foreignKey = kmsKeyArns[0].replace(/.$/, "0");

const faults: readonly (readonly [what: string, wanted: Onboarding, failure: string])[] = [
  ["trusts without an external id", { trust: conditionless }, "external_id_not_enforced"],
  [
    "trusts with any external id",
    { trust: changing((one) => ({ ...one, Condition: { StringLike: { "sts:ExternalId": "*" } } })) },
    "external_id_not_enforced",
  ],
  [
    "trusts with another external id",
    { trust: (policy) => policy.replace(/"sts:ExternalId":"[^"]+"/, '"sts:ExternalId":"another"') },
    "role_denied",
  ],
  [
    "trusts another principal",
    { trust: (policy) => policy.replace(servicePrincipal, `${servicePrincipal}2`) },
    "role_denied",
  ],
  ["has its bucket elsewhere", { region: "eu-west-1", kmsKeyArn: null }, "region_mismatch"],
  ["has no bucket", { bucket: "brokerage-nowhere" }, "bucket_denied"],
  ["may not tell the region", { permissions: without("s3:GetBucketLocation") }, "bucket_denied"],
  ["may not write", { permissions: without("s3:PutObject") }, "probe_denied"],
  ["may not look", { permissions: without("s3:GetObject") }, "probe_denied"],
  ["may not remove", { permissions: without("s3:DeleteObject") }, "probe_cleanup_failed"],
  ["may not list", { permissions: without("s3:ListBucket") }, "probe_cleanup_failed"],
  ["names a key that there is not", { kmsKeyArn: foreignKey }, "kms_denied"],
];

/** Tests that destinations must pass, on any server. */
export function destinationConformance(name: string, serverOf: () => ObjectServer): void {
  describe(`destinations at ${name}`, () => {
    let brokerage: Customer;
    beforeAll(async () => {
      brokerage = await makeCustomer(serverOf());
    });
    afterAll(() => brokerage.close());
    beforeEach(() => serverOf().failWhen(undefined));

    test.each([
      ["with", kmsKeyArns[1]],
      ["without", null],
    ])("one that is set up as the page says is active, %s a named key", async (_, kmsKeyArn) => {
      const { destinations, onboard, look } = brokerage;
      const { id, prefix } = await onboard({ kmsKeyArn });
      const opening = { delivery: "d1", folder: "d1" };
      expect(await codeOf(destinations.open(bucketCustomer, id, opening))).toBe("destination_not_active");
      expect(await destinations.verify(bucketCustomer, id)).toMatchObject({ state: "active", failure: null });
      // The probe is gone.
      expect(await look(prefix)).toEqual([]);
      const { bucket, root } = await destinations.open(bucketCustomer, id, opening);
      await bucket.put(`${root}a`, objectOf("a"));
      expect(await bucket.head(`${root}a`)).toMatchObject({ kmsKeyArn });
      bucket.close();
    });

    test("one whose bucket denies overwriting is active, and known to keep no pointers, until it allows it", async () => {
      const { destinations, onboard, guard, look } = brokerage;
      const { id, prefix, words } = await onboard();
      const { knowsIfNoneMatch, failWhen } = serverOf();
      const everything = `${words["BUCKET"]}/${prefix}/*`;
      const verified = () => destinations.verify(bucketCustomer, id);
      await guard(
        withoutOverwriting(knowsIfNoneMatch ? everything : `${words["BUCKET"]}/elsewhere/*`, {
          isConditional: knowsIfNoneMatch,
        }),
      );
      let written = 0;
      const failReplacing = () =>
        failWhen(({ method }) =>
          method === "PUT" && ++written === 2 ? { status: 403, code: "AccessDenied" } : undefined,
        );
      if (!knowsIfNoneMatch) failReplacing();
      const denied = await verified();
      failWhen(undefined);
      const active = { state: "active", failure: null };
      expect(denied).toMatchObject({ ...active, pointerDenied: expect.any(Number) as number });
      expect(await look(prefix)).toEqual([]);
      await guard(withoutOverwriting(`${words["BUCKET"]}/elsewhere/*`, { isConditional: false }));
      expect(await verified()).toMatchObject({ ...active, pointerDenied: null });
      expect(await look(prefix)).toEqual([]);
    });

    test.each(faults)("one that %s is not", async (what, wanted, failure) => {
      const { destinations, onboard, look } = brokerage;
      const { id, prefix } = await onboard(wanted);
      expect(await destinations.verify(bucketCustomer, id)).toMatchObject({ state: "degraded", failure });
      expect(await codeOf(destinations.open(bucketCustomer, id, { delivery: "d1", folder: "d1" }))).toBe(
        "destination_not_active",
      );
      // Without permission to remove it, the probe is left behind.
      expect(await look(`${prefix}/`)).toHaveLength(what === "may not remove" ? 1 : 0);
    });

    test("of a server that does not answer nothing is found out", async () => {
      const { destinations, onboard } = brokerage;
      const { id } = await onboard();
      await destinations.verify(bucketCustomer, id);
      serverOf().failWhen(() => ({ status: 503, code: "ServiceUnavailable" }));
      expect(await codeOf(destinations.verify(bucketCustomer, id))).toBe("bucket_unavailable");
      expect(await destinations.find(bucketCustomer, id)).toMatchObject({ state: "active", failure: null });
    });

    test("rotated, the old external id is of no use any more", async () => {
      const { destinations, onboard } = brokerage;
      const { id, externalId } = await onboard();
      await destinations.verify(bucketCustomer, id);
      const rotated = await destinations.rotate(bucketCustomer, id);
      expect(rotated.destination.state).toBe("reserved");
      expect(rotated.externalId).not.toBe(externalId);
      expect(await codeOf(destinations.open(bucketCustomer, id, { delivery: "d1", folder: "d1" }))).toBe(
        "destination_not_active",
      );
      // The role still expects the old external id.
      expect(await destinations.verify(bucketCustomer, id)).toMatchObject({ failure: "role_denied" });
    });

    test("with the customer's own keys, and no role, it is written to as well", async () => {
      const { endpoint, owner } = serverOf();
      const { bucket, look } = brokerage;
      const { destinations } = atOwnStore(brokerage, serverOf());
      const wanted = { bucket, prefix: "own/a", endpoint, ...owner };
      const { destination, externalId } = await destinations.reserve(bucketCustomer, wanted);
      expect(externalId).toBeUndefined();
      const { id } = destination;
      expect(await destinations.verify(bucketCustomer, id)).toMatchObject({ state: "active", failure: null });
      expect(await look("own/a")).toEqual([]);
      const opened = await destinations.open(bucketCustomer, id, { delivery: "d1", folder: "d1" });
      expect(await opened.bucket.put(`${opened.root}a`, objectOf("a"))).toBe("created");
      expect(await opened.bucket.put(`${opened.root}a`, objectOf("b"))).toBe("exists");
      opened.bucket.close();

      const wrong = { ...owner, secretAccessKey: "another" };
      await destinations.rotate(bucketCustomer, id, wrong);
      expect(await destinations.verify(bucketCustomer, id)).toMatchObject({
        state: "degraded",
        failure: "probe_denied",
      });
      expect(await codeOf(destinations.rotate(bucketCustomer, id))).toBe("invalid_access_key");
      await destinations.rotate(bucketCustomer, id, owner);
      expect(await destinations.verify(bucketCustomer, id)).toMatchObject({ state: "active", failure: null });
    });

    test("the same bucket and prefix at two stores are two places", async () => {
      const { endpoint, owner } = serverOf();
      const { destinations } = atOwnStore(brokerage, serverOf());
      const place = { bucket: brokerage.bucket, prefix: "own/b", ...owner };
      await destinations.reserve(bucketCustomer, { ...place, endpoint });
      await destinations.reserve(bucketCustomer, { ...place, endpoint: "https://s3.example.com" });
      for (const prefix of ["own/b", "own", "own/b/c"])
        expect(await codeOf(destinations.reserve(bucketCustomer, { ...place, prefix, endpoint }))).toBe(
          "destination_exists",
        );
    });

    test("the bucket policy of the page lets the service write, and nobody overwrite", async () => {
      const { destinations, onboard, guard, write, look } = brokerage;
      const { id, prefix, words } = await onboard();
      const { knowsIfNoneMatch } = serverOf();
      const policy = policyOf("Bucket policy", words);
      await guard(
        knowsIfNoneMatch
          ? policy
          : changing((one) => (one["Sid"] === "NeverOverwrite" ? undefined : one))(policy),
      );
      expect(await destinations.verify(bucketCustomer, id)).toMatchObject({ state: "active" });
      const folder = "subscriptions/s1/00000001/00000000-d1";
      const pointer = "subscriptions/s1/latest.json";
      const { bucket, root } = await destinations.open(bucketCustomer, id, {
        delivery: "d1",
        folder,
        pointer,
      });
      expect(await bucket.put(`${root}a`, objectOf("a"))).toBe("created");
      for (const text of ["1", "2"]) await bucket.replace(`${prefix}/${pointer}`, objectOf(text));
      expect(await textAt(bucket, `${prefix}/${pointer}`)).toBe("2");
      // The session may replace no other object, and the bucket's policy lets nobody replace one of a delivery.
      const beside = bucket.replace(`${prefix}/subscriptions/s2/latest.json`, objectOf("3"));
      expect(await codeOf(beside)).toBe("bucket_denied");
      if (knowsIfNoneMatch)
        expect(await codeOf(bucket.replace(`${root}a`, objectOf("b")))).toBe("bucket_denied");
      bucket.close();
      const named = { ServerSideEncryption: "aws:kms", SSEKMSKeyId: kmsKeyArns[0] };
      const other = { ServerSideEncryption: "aws:kms", SSEKMSKeyId: kmsKeyArns[1], IfNoneMatch: "*" };
      await expect(write(`${prefix}/b`, "b", other)).rejects.toMatchObject({ name: "AccessDenied" });
      if (knowsIfNoneMatch)
        await expect(write(`${root}a`, "b", named)).rejects.toMatchObject({ name: "AccessDenied" });
      expect(await look(prefix)).toHaveLength(2);
    });
  });
}
