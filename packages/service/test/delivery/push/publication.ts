import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "@cadastre/client";
import { bucketRegion, type ObjectServer } from "@cadastre/delivery/testing";
import { expect, onTestFinished, test } from "vitest";
import { commitTo } from "../../support/commit.ts";
import { openCopies, requireView } from "../../support/copies.ts";
import { exportsRoot, refusal } from "../../support/deliveries.ts";
import { runClient } from "../../support/program.ts";
import type { Delivery } from "../../support/pushed-deliveries.ts";
import type { Pushing } from "../../support/pushing.ts";
import { removalsOf } from "../../support/removals.ts";

/** Tests of what a subscription writes into the bucket, and how its owner reads it. */
export function publicationJourney(pushing: () => Pushing): void {
  test("a subscription's seed and delta are published, the end last, and followed from the bucket", async () => {
    const { running, server, destinations, subscriptions, deliveries } = pushing();
    const { namesAt, wantedOf } = deliveries;
    const { id: destinationId, prefix } = await destinations.onboarded();
    const keys = writtenTo(server);
    const id = await subscriptions.created(destinationId, "push");
    const seed = await subscriptions.delivered(id, 0);
    const folder = `${prefix}/subscriptions/${id}/00000001/00000000-${seed.id}/`;
    expect(seed).toMatchObject({ status: "complete", publication: { status: "complete", prefix: folder } });
    expect(await namesAt(seed)).toEqual(await wantedOf(seed));
    expect(keys.slice(-4)).toEqual(["manifest.json", "manifest.jws.json", "_COMPLETE", "latest.json"]);
    const sha256 = createHash("sha256")
      .update(await deliveries.read(seed, "manifest.json"))
      .digest("hex");
    expect(await deliveries.read(seed, "_COMPLETE")).toBe(`{"manifestSha256":"${sha256}"}`);
    await requireInBucketOnly(pushing(), seed, sha256);

    await removeFirstListing(pushing());
    await subscriptions.hurry(id);
    const delta = await subscriptions.delivered(id, 1);
    expect(delta.status).toBe("complete");
    expect(await namesAt(delta)).toEqual(await wantedOf(delta));
    expect((await namesAt(delta)).some((one) => one.includes("removals"))).toBe(true);

    const copies = await openCopies.sqlite();
    onTestFinished(() => copies.close());
    const loaded = await followBucket(pushing(), { id, prefix, into: await copies.target("copy") });
    expect(loaded.map((line) => JSON.parse(line) as object)).toMatchObject([
      { deliveryId: seed.id, kind: "seed", sequence: 0 },
      { deliveryId: delta.id, kind: "delta", sequence: 1, removals: expect.any(Number) as number },
    ]);
    const connection = connect({ url: running.service.baseUrl, apiKey: running.key("national") });
    await requireView(connection, copies, { copy: "copy", domain: "listing", profileId: "listing-jsonl" });
  }, 120_000);
}

/** Asks for the manifest and for parts of a pushed delivery: they are refused, and what was loaded is acknowledged. */
async function requireInBucketOnly({ national }: Pushing, { id }: Delivery, sha256: string): Promise<void> {
  for (const address of ["manifest", "download?part=0", "download?part=10", "download?part=99"])
    expect(refusal(await national.get(`${exportsRoot}/${id}/${address}`))).toEqual([
      409,
      "delivered_to_bucket",
    ]);
  const loaded = { generation: 1, sequence: 0, manifest_sha256: sha256, customer_reference: "load 1" };
  expect((await national.post(`${exportsRoot}/${id}/acknowledge`, loaded)).status).toBe(201);
}

/** The names of the objects that are written from now on, in their order. */
function writtenTo({ failWhen }: ObjectServer): readonly string[] {
  const names: string[] = [];
  failWhen(({ method, path }) => {
    if (method === "PUT") names.push(path.split("?")[0]?.split("/").at(-1) ?? "");
    return undefined;
  });
  return names;
}

async function removeFirstListing({ running, national }: Pushing): Promise<void> {
  const listed = await national.get("/reso/odata/Property?$top=1&$select=ListingKey&$orderby=ListingKey");
  const { value } = JSON.parse(listed.text) as { readonly value: readonly { readonly ListingKey: string }[] };
  await commitTo(running, removalsOf("Property", value[0]?.ListingKey ?? ""));
}

/**
 * Have the client's program follow a subscription by what lies in the bucket, as its owner, until nothing is left; gives what it
 * loaded, a line each.
 */
async function followBucket(
  { running, owner, server }: Pushing,
  { id, prefix, into }: { readonly id: string; readonly prefix: string; readonly into: string },
): Promise<readonly string[]> {
  const staging = mkdtempSync(join(tmpdir(), "cadastre-follow-bucket-"));
  onTestFinished(() => rmSync(staging, { recursive: true }));
  const { accessKeyId, secretAccessKey } = server.owner;
  const place = ["--from-bucket", `s3://${owner.bucket}/${prefix}`, "--region", bucketRegion];
  const where = [...place, "--endpoint", server.endpoint, "--url", running.service.baseUrl];
  const how = ["--into", into, "--staging", staging, "--once", "--json"];
  const { code, stdout, stderr } = await runClient(["follow", "--subscription", id, ...where, ...how], {
    CADASTRE_API_KEY: running.key("national"),
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
  });
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  return stdout.split("\n").slice(0, -1);
}
