import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bucketParts, folderParts, openS3Bucket } from "../../src/index.ts";
import type { ObjectStore } from "../../src/object-store/object-store.ts";
import { type Customer, makeCustomer } from "../../src/testing/object-storage/customer.ts";
import { bucketRegion, type ObjectServer } from "../../src/testing/object-storage/server.ts";
import { partStoreConformance } from "../parts/conformance.ts";
import { scratchFolder } from "../support/scratch.ts";
import { codeOf, objectOf } from "./buckets.ts";

/** Tests that a store of parts in a bucket must pass, on any server. */
export function bucketPartsConformance(name: string, serverOf: () => ObjectServer): void {
  describe(`parts at ${name}`, () => {
    const folder = scratchFolder();
    let owner: Customer;
    let bucket: ObjectStore;
    let stores = 0;
    beforeAll(async () => {
      serverOf().failWhen(undefined);
      owner = await makeCustomer(serverOf());
      const access = { ...owner.access, keys: serverOf().owner };
      bucket = await openS3Bucket(
        { bucket: owner.bucket, region: bucketRegion, kmsKeyArn: null },
        { access },
      );
    });
    afterAll(async () => {
      bucket.close();
      await owner.close();
    });
    const newStore = () => {
      const own = String(++stores);
      return bucketParts({ bucket, prefix: `parts/${own}`, staging: folderParts(join(folder, own)) });
    };

    partStoreConformance(`a bucket of ${name}`, newStore);

    test("an object that is none of ours is no part", async () => {
      const store = newStore();
      const { sha256, byteLength } = objectOf("part");
      await owner.write(`parts/${stores}/${sha256.slice(0, 2)}/${sha256}`, "another");
      const file = join(await store.stage({ id: "d1", fence: 1 }), "0");
      writeFileSync(file, "part");
      expect(await codeOf(store.put(file, { sha256, byteLength }))).toBe("part_missing");
    });

    test("an object with other bytes is damaged, and is put again", async () => {
      const store = newStore();
      const { sha256, byteLength } = objectOf("part");
      const file = join(await store.stage({ id: "d1", fence: 1 }), "0");
      writeFileSync(file, "part");
      await owner.write(`parts/${stores}/${sha256.slice(0, 2)}/${sha256}`, "trap");
      expect(await codeOf(store.open({ sha256, byteLength }))).toBe("part_damaged");
      await store.replace(file, { sha256, byteLength });
      expect(await codeOf(store.open({ sha256, byteLength }))).toBe("done");
    });

    test("a bucket that fails is told as a store of parts is", async () => {
      const store = newStore();
      const { sha256, byteLength } = objectOf("part");
      serverOf().failWhen(() => ({ status: 503, code: "SlowDown" }));
      expect(await codeOf(store.open({ sha256, byteLength }))).toBe("parts_unavailable");
      serverOf().failWhen(() => ({ status: 403, code: "AccessDenied" }));
      expect(await codeOf(store.remove(sha256))).toBe("parts_not_writable");
      serverOf().failWhen(undefined);
    });
  });
}
