import { join } from "node:path";
import { Readable } from "node:stream";
import { PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { type BucketOptions, bucketFeed, follow, openBucket, openTarget } from "@cadastre/client";
import {
  bucketRegion,
  type Customer,
  makeCustomer,
  type ObjectServer,
  pushedObjects,
  startFakeObjectServer,
} from "@cadastre/delivery/testing";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { deltaAfter, seedAfter, subscription } from "./support/chain.ts";
import { pricesIn, pricesOf } from "./support/copies.ts";
import { jwks, listings, type TestDelivery } from "./support/deliveries.ts";
import { emptyFolder, textIn } from "./support/folders.ts";
import { runHere } from "./support/program.ts";
import { startServer } from "./support/server.ts";

const seed = await seedAfter(undefined, { rowsPerPart: 4, datasets: { listing: listings(10) } });
const delta = await deltaAfter(seed, {
  datasets: { listing: listings(2, 20) },
  removals: { listing: ["LSM_000000"] },
});
const again = await seedAfter(delta, { datasets: { listing: listings(3, 40) } });
const afterDelta = pricesOf([...listings(10).slice(1), ...listings(2, 20)]);

let server: ObjectServer;
let owner: Customer;
let client: S3Client;
beforeAll(async () => {
  server = await startFakeObjectServer();
  owner = await makeCustomer(server);
  client = new S3Client({
    region: bucketRegion,
    endpoint: server.endpoint,
    forcePathStyle: true,
    credentials: server.owner,
    requestChecksumCalculation: "WHEN_REQUIRED",
  });
});
afterAll(async () => {
  client.destroy();
  await owner.close();
  await server.stop();
});

let prefix: string;
let made = 0;
beforeEach(() => {
  prefix = `deliveries/c${++made}`;
  vi.stubEnv("AWS_ACCESS_KEY_ID", server.owner.accessKeyId);
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", server.owner.secretAccessKey);
});
afterEach(() => {
  server.failWhen(undefined);
  vi.unstubAllEnvs();
});

const put = async (key: string, bytes: Uint8Array) => {
  await client.send(new PutObjectCommand({ Bucket: owner.bucket, Key: key, Body: bytes }));
};

/** Write what the service would, or some of it; the answer is the folder. */
async function push(delivery: TestDelivery, isWritten = (_name: string) => true): Promise<string> {
  const { deliveryId: id, subscriptionId, generation, sequence } = delivery.manifest;
  const parts = delivery.manifest.parts.map(({ name, number, byteLength, sha256, mediaType }) => ({
    name,
    byteLength,
    sha256,
    mediaType,
    open: () => Readable.from([delivery.parts.get(number)]),
  }));
  const documents = (delivery.manifest.documents ?? []).map((document) => ({
    ...document,
    open: () => Readable.from([Buffer.from(delivery.documents.get(document.sha256) ?? "")]),
  }));
  const signature = Buffer.from(JSON.stringify(delivery.signature));
  const objects = await pushedObjects(
    { id, subscription: subscriptionId, generation, sequence },
    { parts, documents, manifest: delivery.bytes, signature },
  );
  for (const { name, key, bytes } of objects) if (isWritten(name)) await put(`${prefix}/${key}`, bytes);
  return `${prefix}/${objects[0]?.key.replace(/[^/]*$/, "") ?? ""}`.slice(0, -1);
}

function begin() {
  const folder = emptyFolder();
  return { folder, file: join(folder, "copy.sqlite"), staging: join(folder, "staging") };
}

async function followOnce({ file, staging }: ReturnType<typeof begin>, tries = 1) {
  const means: BucketOptions = {
    retryPolicy: { tries, timeout: 5000, pause: 1 },
    signal: undefined,
    onRetry: () => {},
    region: bucketRegion,
    endpoint: server.endpoint,
  };
  const bucket = await openBucket(`s3://${owner.bucket}/${prefix}`, means);
  const target = await openTarget(`sqlite:${file}`);
  const told: string[] = [];
  try {
    const acknowledge = async ({ sha256 }: { readonly sha256: string }) => void told.push(sha256);
    const feed = bucketFeed(bucket, subscription, { keysOf: () => jwks, acknowledge });
    await follow(feed, { target, staging, once: true });
  } finally {
    await target.close();
    bucket.close();
  }
  return told;
}

test("what is pushed is followed, through generations", async () => {
  const place = begin();
  await push(seed);
  await push(delta);
  expect(await followOnce(place)).toEqual([seed.sha256, delta.sha256]);
  expect(pricesIn(place.file)).toEqual(afterDelta);
  await push(again);
  expect(await followOnce(place)).toEqual([delta.sha256, again.sha256]);
  expect(pricesIn(place.file)).toEqual(pricesOf(listings(3, 40)));
});

test("a document of a pushed delivery is verified before the load", async () => {
  const place = begin();
  const described = await seedAfter(undefined, { documents: { schema: '{"datasets":[]}' } });
  const folder = await push(described);
  await put(`${folder}/schema.json`, Buffer.from('{"datasets":{}}'));
  await expect(followOnce(place)).rejects.toMatchObject({ code: "document_differs" });
  await put(`${folder}/schema.json`, Buffer.from('{"datasets":[]}'));
  expect(await followOnce(place)).toEqual([described.sha256]);
});

test("what has no end is not there, whatever else of it is", async () => {
  const place = begin();
  await push(seed);
  const given = await deltaAfter(seed, { id: "given-up", datasets: { listing: [] } });
  await push(given, (name) => name !== "_COMPLETE");
  await followOnce(place);
  expect(pricesIn(place.file)).toEqual(pricesOf(listings(10)));
  await push(delta);
  await followOnce(place);
  expect(pricesIn(place.file)).toEqual(afterDelta);
});

test("a bucket that is busy, and transfers that break, are borne with", async () => {
  const place = begin();
  await push(seed);
  let asked = 0;
  server.failWhen(() => {
    asked++;
    if (asked % 3 === 1) return { status: 503, code: "SlowDown" };
    return asked % 3 === 2 ? "broken" : undefined;
  });
  await followOnce(place, 5);
  expect(pricesIn(place.file)).toEqual(pricesOf(listings(10)));
});

describe("it stops, and leaves the copy as it was, for", () => {
  const stopsAt = async (code: string, spoil: (folder: string) => Promise<unknown>, next = delta) => {
    const place = begin();
    await push(seed);
    await followOnce(place);
    await spoil(await push(next));
    await expect(followOnce(place)).rejects.toMatchObject({ code });
    expect(pricesIn(place.file)).toEqual(pricesOf(listings(10)));
  };
  const [part] = delta.manifest.parts;
  const text = (value: unknown) => Buffer.from(JSON.stringify(value));

  test("a part that was changed", () =>
    stopsAt("part_hash_differs", (folder) =>
      put(`${folder}/${part?.name}`, Buffer.alloc(part?.byteLength ?? 0)),
    ));
  test("a part of another length", () =>
    stopsAt("part_length_differs", (folder) => put(`${folder}/${part?.name}`, Buffer.from("short"))));
  test("an end of another manifest", () =>
    stopsAt("manifest_hash_differs", (folder) =>
      put(`${folder}/_COMPLETE`, text({ manifestSha256: seed.sha256 })),
    ));
  test("a manifest that was changed", () =>
    stopsAt("manifest_hash_differs", (folder) => put(`${folder}/manifest.json`, text({ a: 1 }))));
  test("another signature", () =>
    stopsAt("signature_invalid", (folder) => put(`${folder}/manifest.jws.json`, text(seed.signature))));
  test("a manifest of another place", async () => {
    await stopsAt("manifest_foreign", async (folder) => {
      await put(`${folder}/manifest.json`, seed.bytes);
      await put(`${folder}/manifest.jws.json`, text(seed.signature));
      await put(`${folder}/_COMPLETE`, text({ manifestSha256: seed.sha256 }));
    });
  });
  test("a delta after another history", async () => {
    const other = await seedAfter(undefined, { datasets: { listing: [] } });
    const fork = await deltaAfter(other, { id: "fork", datasets: { listing: [] } });
    await stopsAt("chain_fork", async () => {}, fork);
  });
  test("two deliveries in one place", async () => {
    const other = await deltaAfter(seed, { id: "other", datasets: { listing: [] } });
    await stopsAt("chain_fork", () => push(other));
  });
  test("another delivery in the place of the last one", async () => {
    await stopsAt("chain_fork", async () => {}, await seedAfter(undefined, { id: "other" }));
  });
  test("a delta that is missing", async () => {
    const later = await deltaAfter(delta, { datasets: { listing: [] } });
    await stopsAt("delivery_missed", async () => {}, later);
  });
});

test("an object that is missing, and a bucket that may not be read, are told", async () => {
  const place = begin();
  await push(seed, (name) => name !== "manifest.json");
  await expect(followOnce(place)).rejects.toMatchObject({ code: "file_missing" });
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "wrong");
  await expect(followOnce(place)).rejects.toMatchObject({ code: "bucket_refused", exitCode: 3 });
});

test("the program follows a bucket, and tells the service", async () => {
  const place = begin();
  await push(seed);
  await push(delta);
  const service = await startServer(seed, delta);
  try {
    const into = ["--into", `sqlite:${place.file}`, "--staging", place.staging];
    const bucket = ["--from-bucket", `s3://${owner.bucket}/${prefix}/`, "--endpoint", server.endpoint];
    const asked = ["follow", "--subscription", subscription, "--region", bucketRegion, "--url", service.url];
    const { code, stdout, stderr } = await runHere([...asked, ...bucket, ...into, "--once", "--json"]);
    expect({ code, lines: stdout.trimEnd().split("\n").length }).toEqual({ code: 0, lines: 2 });
    expect(pricesIn(place.file)).toEqual(afterDelta);
    expect(service.requests.filter(({ url }) => url.endsWith("/acknowledge"))).toHaveLength(2);
    expect(service.requests.filter(({ url }) => url.includes("/manifest"))).toEqual([]);
    expect(stdout + stderr + textIn(place.folder)).not.toContain(server.owner.secretAccessKey);
  } finally {
    await service.close();
  }
});
