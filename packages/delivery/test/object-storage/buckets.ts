import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openS3Bucket } from "../../src/index.ts";
import type { NewObject, ObjectStore } from "../../src/object-store/object-store.ts";
import { assumeRole } from "../../src/object-store/role-session.ts";
import { bucketCustomer, type Customer, makeCustomer } from "../../src/testing/object-storage/customer.ts";
import {
  type Asked,
  bucketRegion,
  kmsKeyArns,
  type ObjectServer,
} from "../../src/testing/object-storage/server.ts";

export const objectOf = (text: string, claimed = text): NewObject => ({
  byteLength: Buffer.byteLength(text),
  sha256: createHash("sha256").update(claimed).digest("hex"),
  mediaType: "text/plain",
  open: () => Readable.from([Buffer.from(text)]),
});

/** Returns the text of an object, as the bucket's session may read it. */
export async function textAt(bucket: ObjectStore, key: string): Promise<string> {
  const found = await bucket.open(key);
  if (found === undefined) throw new Error(`${key} cannot be read`);
  return (await buffer(found.stream)).toString();
}

export const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => "done",
    (error: { code: unknown }) => error.code,
  );

/**
 * Returns a bucket policy that denies writing objects.
 *
 * @param objects bucket and key, with `*`
 * @param options `isConditional`: true to deny only requests that may overwrite
 */
export const withoutOverwriting = (
  objects: string,
  { isConditional }: { readonly isConditional: boolean },
): string =>
  JSON.stringify({
    Version: "2012-10-17",
    Statement: [
      {
        Effect: "Deny",
        Principal: "*",
        Action: "s3:PutObject",
        Resource: `arn:aws:s3:::${objects}`,
        ...(isConditional ? { Condition: { Null: { "s3:if-none-match": "true" } } } : {}),
      },
    ],
  });

/** Tests that every bucket must pass, on any server. */
export function bucketConformance(name: string, serverOf: () => ObjectServer): void {
  describe(`a bucket of ${name}`, () => {
    let brokerage: Customer;
    let bucket: ObjectStore;
    let root: string;
    let externalId: string;
    beforeAll(async () => {
      brokerage = await makeCustomer(serverOf());
      const onboarded = await brokerage.onboard();
      const { id } = onboarded;
      externalId = onboarded.externalId;
      await brokerage.destinations.verify(bucketCustomer, id);
      const opened = await brokerage.destinations.open(bucketCustomer, id, {
        delivery: "d1",
        folder: "here",
      });
      ({ bucket, root } = opened);
    });
    afterAll(async () => {
      bucket.close();
      await brokerage.close();
    });
    beforeEach(() => {
      serverOf().failWhen(undefined);
      brokerage.waits.length = 0;
    });
    const isPut = ({ method }: Asked) => method === "PUT";
    const failTimes = (
      times: number,
      fault: ReturnType<Parameters<ObjectServer["failWhen"]>[0] & object>,
    ) => {
      let left = times;
      serverOf().failWhen((asked) => (isPut(asked) && left-- > 0 ? fault : undefined));
    };

    test("an object is written once, and then it stays", async () => {
      const key = `${root}once`;
      expect(await bucket.head(key)).toBeUndefined();
      expect(await bucket.open(key)).toBeUndefined();
      expect(await bucket.put(key, objectOf("first"))).toBe("created");
      const before = await brokerage.look(key);
      expect(await bucket.put(key, objectOf("second"))).toBe("exists");
      expect(await brokerage.look(key)).toEqual(before);
      const opened = await bucket.open(key);
      expect(opened?.byteLength).toBe(5);
      expect(String(opened && (await buffer(opened.stream)))).toBe("first");
    });

    test("size, hash and key come back as they were given", async () => {
      await bucket.put(`${root}facts`, objectOf("facts"));
      const { byteLength, sha256 } = objectOf("facts");
      expect(await bucket.head(`${root}facts`)).toEqual({ byteLength, sha256, kmsKeyArn: kmsKeyArns[0] });
    });

    test("an address reads one object, until it ends", async () => {
      await bucket.put(`${root}one (1)`, objectOf("one"));
      await bucket.put(`${root}two`, objectOf("two"));
      const address = await bucket.address(`${root}one (1)`, 300);
      expect(await (await fetch(address)).text()).toBe("one");
      const [, query = ""] = address.split("?");
      const another = (await bucket.address(`${root}two`, 300)).replace(/\?.*/, `?${query}`);
      const longer = address.replace("X-Amz-Expires=300", "X-Amz-Expires=301");
      for (const url of [another, longer]) expect((await fetch(url)).status).toBe(403);
      // Without credentials, some servers do not even reveal that the bucket exists.
      expect([403, 404]).toContain((await fetch(address.replace(/\?.*/, ""))).status);
      expect((await fetch(address, { method: "DELETE" })).status).toBe(403);
      const brief = await bucket.address(`${root}two`, 1);
      await setTimeout(1500);
      expect((await fetch(brief)).status).toBe(403);
    });

    test("of ten that write at once one does", async () => {
      const writing = Array.from({ length: 10 }, (_, i) =>
        bucket.put(`${root}race`, objectOf(`writer ${i}`)),
      );
      const outcomes = await Promise.all(writing);
      expect(outcomes.filter((outcome) => outcome === "created")).toHaveLength(1);
      const opened = await bucket.open(`${root}race`);
      const winner = outcomes.indexOf("created");
      expect(String(opened && (await buffer(opened.stream)))).toBe(`writer ${winner}`);
    });

    test("other bytes than those of the hash are refused", async () => {
      const damaged = bucket.put(`${root}damaged`, objectOf("tampered", "original"));
      expect(await codeOf(damaged)).toBe("object_damaged");
      const large = objectOf("x".repeat(3_000_000), "y".repeat(3_000_000));
      expect(await codeOf(bucket.put(`${root}damaged`, large))).toBe("object_damaged");
      expect(await brokerage.look(`${root}damaged`)).toEqual([]);
    });

    test("of a write that breaks off nothing is there", async () => {
      const broken = {
        ...objectOf("x".repeat(3_000_000)),
        open: () =>
          Readable.from(
            (async function* () {
              yield Buffer.alloc(1_000_000, "x");
              throw new Error("the disk is gone");
            })(),
          ),
      };
      await expect(bucket.put(`${root}broken`, broken)).rejects.toThrow("the disk is gone");
      expect(await brokerage.look(`${root}broken`)).toEqual([]);
    });

    test("nothing is written beside the folder, and nothing is removed", async () => {
      const [, prefix] = /^(.*)here\/$/.exec(root) ?? [];
      for (const key of [`${prefix}there/x`, `${prefix}herewith/x`, "other/x"])
        expect(await codeOf(bucket.put(key, objectOf("x")))).toBe("bucket_denied");
      await bucket.put(`${root}kept`, objectOf("kept"));
      expect(await codeOf(bucket.remove(`${root}kept`))).toBe("bucket_denied");
      expect(await brokerage.look(`${root}kept`)).toHaveLength(1);
    });

    test.each([
      ["asked too much", { status: 503, code: "SlowDown" }],
      ["at fault", { status: 500, code: "InternalError" }],
      ["writing the same object for another", { status: 409, code: "ConditionalRequestConflict" }],
      ["gone", "broken"],
    ] as const)("a server that is %s is asked again, for so long", async (what, fault) => {
      const key = `${root}again ${what}`;
      failTimes(3, fault);
      expect(await bucket.put(key, objectOf("again"))).toBe("created");
      // Half of the longest wait, which doubles up to a limit.
      expect(brokerage.waits).toEqual([50, 75, 75]);
      failTimes(4, fault);
      expect(await codeOf(bucket.put(key, objectOf("again")))).toBe("bucket_unavailable");
      expect(brokerage.waits).toHaveLength(6);
    });

    test("a write whose answer is lost was a write", async () => {
      failTimes(1, "unanswered");
      expect(await bucket.put(`${root}lost`, objectOf("lost"))).toBe("exists");
      expect(await brokerage.look(`${root}lost`)).toHaveLength(1);
    });

    test("keys that have expired are replaced", async () => {
      let assumed = 0;
      let refused = 0;
      serverOf().failWhen((asked) => {
        if (asked.action === "AssumeRole") assumed++;
        return isPut(asked) && refused++ === 0 ? { status: 400, code: "ExpiredToken" } : undefined;
      });
      expect(await bucket.put(`${root}expired`, objectOf("x"))).toBe("created");
      expect(assumed).toBe(1);
    });

    test("keys are replaced when two thirds of their life are over", async () => {
      const { words, externalId, prefix } = await brokerage.onboard();
      let now = 0;
      let assumed = 0;
      serverOf().failWhen(({ action }) => {
        if (action === "AssumeRole") assumed++;
        return undefined;
      });
      const [resource] = [`arn:aws:s3:::${words["BUCKET"]}/${prefix}/*`];
      const policy = {
        Version: "2012-10-17",
        Statement: [{ Effect: "Allow", Action: ["s3:PutObject"], Resource: resource }],
      };
      const role = (await brokerage.destinations.list(bucketCustomer)).find((one) => one.prefix === prefix);
      const request = {
        roleArn: role?.roleArn ?? "",
        region: bucketRegion,
        externalId,
        sessionName: "d1",
        policy,
      };
      const session = await assumeRole(request, { ...brokerage.access, now: () => now });
      const first = await session.keys();
      now = 599_999;
      expect(await session.keys()).toEqual(first);
      now = 600_000;
      const [second, same] = await Promise.all([session.keys(), session.keys()]);
      expect(second).not.toEqual(first);
      expect(same).toEqual(second);
      expect(assumed).toBe(2);
      now = 1_199_999;
      expect(await session.keys()).toEqual(second);
    });

    test("keys that are none, and a session that was tampered with, are denied", async () => {
      const of = { bucket: brokerage.bucket, region: bucketRegion, kmsKeyArn: null };
      const keys = { ...serverOf().owner, secretAccessKey: "wrong" };
      const stranger = await openS3Bucket(of, { access: { ...brokerage.access, keys } });
      const id = (await brokerage.destinations.list(bucketCustomer))[0]?.id ?? "";
      const { roleArn } = await brokerage.destinations.find(bucketCustomer, id);
      const policy = { Version: "2012-10-17", Statement: [] };
      const request = { roleArn: roleArn ?? "", region: bucketRegion, externalId, sessionName: "d1", policy };
      const given = await (await assumeRole(request, brokerage.access)).keys();
      const sessionToken = given.sessionToken?.replace(/.{8}$/, "AAAAAAAA");
      const session = { keys: async () => ({ ...given, sessionToken }), renew: () => {} };
      const tampered = await openS3Bucket(of, { access: brokerage.access, session });
      for (const one of [stranger, tampered]) {
        expect(await codeOf(one.put(`${root}stranger`, objectOf("x")))).toBe("bucket_denied");
        one.close();
      }
    });

    test("a bucket of one's own is listed in the order of keys, and emptied", async () => {
      const of = { bucket: brokerage.bucket, region: bucketRegion, kmsKeyArn: null };
      const own = await openS3Bucket(of, { access: { ...brokerage.access, keys: serverOf().owner } });
      expect(await own.region()).toBe(bucketRegion);
      const names = ["b", "a/2", "a/1", "c"];
      for (const one of names) await own.put(`own/${one}`, objectOf(one));
      const listed = async (prefix: string) => {
        const keys: string[] = [];
        for await (const { key } of own.list(prefix)) keys.push(key);
        return keys;
      };
      expect(await listed("own/")).toEqual(["own/a/1", "own/a/2", "own/b", "own/c"]);
      expect(await listed("own/a")).toEqual(["own/a/1", "own/a/2"]);
      for (const one of names) await own.remove(`own/${one}`);
      await own.remove("own/never there");
      expect(await listed("own/")).toEqual([]);
      own.close();
    });
  });
}
