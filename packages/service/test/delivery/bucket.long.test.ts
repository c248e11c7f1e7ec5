import { createHash } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import {
  bucketRegion,
  type Customer,
  makeCustomer,
  type ObjectServer,
  startFakeObjectServer,
} from "@cadastre/delivery/testing";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { toBucketPlace } from "../../src/delivery/bucket-place.ts";
import { customerOf } from "../support/deliveries.ts";
import { type Running, run } from "../support/running.ts";

let server: ObjectServer;
let owner: Customer;
let running: Running;
beforeAll(async () => {
  server = await startFakeObjectServer();
  owner = await makeCustomer(server);
  const { accessKeyId, secretAccessKey } = server.owner;
  vi.stubEnv("AWS_ACCESS_KEY_ID", accessKeyId);
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", secretAccessKey);
  running = await run({
    CADASTRE_PARTS_BUCKET: `s3://${owner.bucket}/of/exports`,
    CADASTRE_PARTS_REGION: bucketRegion,
    CADASTRE_PARTS_ENDPOINT: server.endpoint,
    CADASTRE_PART_BYTES: "65536",
  });
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await running.stop();
  await owner.close();
  await server.stop();
});

test("parts that lie in a bucket are delivered as those of a folder are", async () => {
  const national = customerOf(running);
  const id = await national.complete();
  const { data } = await national.manifest(id);
  expect(data.parts.length).toBeGreaterThan(2);
  for (const { number, sha256, byteLength } of data.parts) {
    const bytes = await national.fetched(id, number);
    expect(bytes.length).toBe(byteLength);
    expect(createHash("sha256").update(bytes).digest("hex")).toBe(sha256);
  }
  const kept = (await owner.look("of/exports/")).map(({ key }) => key.split("/").at(-1));
  expect(new Set(kept)).toEqual(new Set(data.parts.map(({ sha256 }) => sha256)));
  const exports = join(running.folder.path, "exports");
  expect((await readdir(exports, { recursive: true })).filter((name) => name.includes("parts/"))).toEqual([]);
});

test.each([
  ["s3://bucket", { bucket: "bucket", prefix: "parts" }],
  ["s3://my.bucket-1/a/b_c", { bucket: "my.bucket-1", prefix: "a/b_c" }],
  ["s3://bucket/a/", { bucket: "bucket", prefix: "a" }],
  ["https://bucket/a", undefined],
  ["s3://", undefined],
  ["s3://Bucket", undefined],
  ["s3://bu..cket", undefined],
  ["s3://bucket//a", undefined],
  ["s3://bucket/a?b", undefined],
])("the place %s", (text, place) => {
  expect(toBucketPlace(text)).toEqual(place);
});
