import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "@cadastre/client";
import { openSqliteStore } from "@cadastre/store/sqlite";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { run as runClient } from "../../../client/test/support/program.ts";
import { type Customer, makeCustomer } from "../../../delivery/test/support/object-storage/customer.ts";
import { policyOf } from "../../../delivery/test/support/object-storage/onboarding.ts";
import {
  customerAccount,
  kmsKeyArns,
  type ObjectServer,
  region,
  servicePrincipal,
} from "../../../delivery/test/support/object-storage/server.ts";
import { storedResources } from "../../src/catalog.ts";
import { ask, type Reply } from "../support/ask.ts";
import { openCopies, requireView } from "../support/copies.ts";
import { customerOf, dataOf, refusal } from "../support/deliveries.ts";
import { entitle } from "../support/entitle.ts";
import { end, startProgram } from "../support/program.ts";
import { type Running, run } from "../support/running.ts";

const destinationsRoot = "/v1/file-export-destinations";
const subscriptionsRoot = "/v1/file-export-subscriptions";
const exportsRoot = "/v1/file-exports";
const nowhere = "01939b2e-0000-7000-8000-000000000000";

type Destination = {
  readonly id: string;
  readonly status: string;
  readonly prefix: string;
  readonly failure: { readonly code: string } | null;
};
type Delivery = {
  readonly id: string;
  readonly status: string;
  readonly sequence: number;
  readonly failure: { readonly code: string } | null;
  readonly publication: { readonly status: string; readonly prefix: string } | null;
};
type Subscription = Pick<Delivery, "id" | "status" | "failure">;

let made = 0;

/** What a customer meets that has deliveries pushed, from its first request on, whatever the server of its bucket. */
export function pushJourney(name: string, serverOf: () => ObjectServer, isThorough: boolean): void {
  describe(`deliveries that are pushed to ${name}`, () => {
    let running: Running;
    let owner: Customer;
    let national: ReturnType<typeof customerOf>;
    let environment: Readonly<Record<string, string>>;
    beforeAll(async () => {
      owner = await makeCustomer(serverOf());
      const { accessKeyId, secretAccessKey } = serverOf().service;
      vi.stubEnv("AWS_ACCESS_KEY_ID", accessKeyId);
      vi.stubEnv("AWS_SECRET_ACCESS_KEY", secretAccessKey);
      environment = {
        CADASTRE_PUSH: "true",
        CADASTRE_PUSH_ENDPOINT: serverOf().endpoint,
        CADASTRE_LEASE_SECONDS: "3",
      };
      running = await run({ CADASTRE_LISTINGS: "150", CADASTRE_PART_BYTES: "65536", ...environment });
      national = customerOf(running);
    });
    afterAll(async () => {
      vi.unstubAllEnvs();
      await running.stop();
      await owner.close();
    });

    const bodyOf = (more: object = {}) => {
      const roleArn = `arn:aws:iam::111122223333:role/cadastre/file-delivery/journey-${++made}`;
      const prefix = `deliveries/journey-${made}`;
      return { bucket: owner.bucket, region, prefix, roleArn, kmsKeyArn: kmsKeyArns[0], ...more };
    };
    const remove = (target: string): Promise<Reply> =>
      ask(running.service.baseUrl, target, national.headers, "DELETE");

    /** Reserve a destination; what its bucket's owner does then is left to `trust`. */
    async function reserve() {
      const body = bodyOf();
      const reply = await national.post(destinationsRoot, body);
      expect([reply.status, reply.text]).toEqual([201, expect.any(String)]);
      return { reply, body, ...dataOf<Destination & { externalId: string }>(reply) };
    }
    /** Do what the onboarding page says. */
    function trust({ body, externalId }: Awaited<ReturnType<typeof reserve>>): void {
      const words = {
        SERVICE_PRINCIPAL: servicePrincipal,
        EXTERNAL_ID: externalId,
        BUCKET: body.bucket,
        PREFIX: body.prefix,
        KMS_KEY_ARN: body.kmsKeyArn,
      };
      serverOf().makeRole({
        name: body.roleArn.split("/").at(-1) ?? "",
        trust: policyOf("Trust policy", words),
        permissions: policyOf("Permissions", words),
      });
    }
    /** Have it verified, and give what came of it. */
    async function verified(id: string): Promise<Destination> {
      const reply = await national.post(`${destinationsRoot}/${id}/verify`, {});
      expect([reply.status, dataOf<Destination>(reply).status]).toEqual([202, "verifying"]);
      for (;;) {
        const seen = dataOf<Destination>(await national.get(`${destinationsRoot}/${id}`));
        if (seen.status !== "verifying") return seen;
        await pause();
      }
    }
    async function onboarded() {
      const reserved = await reserve();
      trust(reserved);
      expect(await verified(reserved.id)).toMatchObject({ status: "active", failure: null });
      return reserved;
    }
    /** What lies where a delivery was published. */
    const namesAt = async ({ publication }: Delivery): Promise<readonly string[]> =>
      (await owner.look(publication?.prefix ?? "?")).map(({ key }) => key);
    /** The names that its manifest has, and what lies beside them. */
    async function wantedOf({ id }: Delivery): Promise<readonly string[]> {
      const { data } = await national.manifest(id);
      const parts = data.parts.map((part) => (part as unknown as { name: string }).name);
      return [...parts, "_COMPLETE", "manifest.json", "manifest.jws.json"].toSorted();
    }
    const statusOf = async (id: string) => dataOf<Delivery>(await national.get(`${exportsRoot}/${id}`));
    /** Waits until a delivery is settled. */
    async function settled(id: string): Promise<Delivery> {
      for (;;) {
        const seen = await statusOf(id);
        if (["complete", "failed", "canceled"].includes(seen.status)) return seen;
        await pause();
      }
    }
    /** Waits until a subscription has a settled delivery of a sequence. */
    async function delivered(id: string, sequence: number, not?: string): Promise<Delivery> {
      for (;;) {
        const [last] = dataOf<Delivery[]>(
          await national.get(`${subscriptionsRoot}/${id}/deliveries?limit=1`),
        );
        if (last?.sequence === sequence && last.id !== not) return settled(last.id);
        await pause();
      }
    }
    async function hurry(id: string): Promise<void> {
      for (const step of ["pause", "resume"])
        expect((await national.post(`${subscriptionsRoot}/${id}/${step}`, {})).status).toBe(200);
    }
    /** The keys that are written from now on, in their order. */
    function written(): readonly string[] {
      const keys: string[] = [];
      serverOf().failWhen(({ method, path }) => {
        if (method === "PUT") keys.push(path.split("?")[0]?.split("/").at(-1) ?? "");
        return undefined;
      });
      return keys;
    }

    test("a destination is reserved, trusted and verified, and its external id told once", async () => {
      const reserved = await reserve();
      const { reply, body, id, externalId } = reserved;
      expect(reply.headers["cache-control"]).toBe("no-store");
      expect(reply.headers["location"]).toBe(`${destinationsRoot}/${id}`);
      expect(dataOf(reply)).toEqual({
        id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
        status: "reserved",
        ...body,
        failure: null,
        last_verified_at: null,
        created_at: expect.stringMatching(/Z$/) as string,
        externalId: expect.stringMatching(/^[\w-]{43}$/) as string,
      });
      const asked = { domain: "listing", deliveryMode: "push", destinationId: id };
      expect(refusal(await national.create(asked))).toEqual([409, "destination_not_active"]);
      expect(await verified(id)).toMatchObject({ status: "degraded", failure: { code: "role_denied" } });
      trust(reserved);
      expect(await verified(id)).toMatchObject({ status: "active", failure: null });
      const list = await national.get(destinationsRoot);
      expect(dataOf<Destination[]>(list).map((one) => one.id)).toContain(id);
      for (const { text } of [list, await national.get(`${destinationsRoot}/${id}`)])
        expect(text).not.toContain(externalId);
      expect(running.log()).not.toContain(externalId);
      const rotated = await national.post(`${destinationsRoot}/${id}/rotate`, {});
      expect([rotated.status, rotated.headers["cache-control"]]).toEqual([200, "no-store"]);
      const again = dataOf<Destination & { externalId: string }>(rotated);
      expect(again).toMatchObject({
        status: "reserved",
        externalId: expect.not.stringMatching(externalId) as string,
      });
      expect(await verified(id)).toMatchObject({ status: "degraded", failure: { code: "role_denied" } });
      for (let times = 0; times < 2; times++)
        expect(dataOf(await remove(`${destinationsRoot}/${id}`))).toMatchObject({ status: "disabled" });
      for (const step of ["verify", "rotate"])
        expect(refusal(await national.post(`${destinationsRoot}/${id}/${step}`, {}))).toEqual([
          409,
          "destination_state",
        ]);
    }, 120_000);

    /** Has the client's program follow what lies in the bucket, as its owner, until nothing is left; gives what it loaded. */
    async function followBucket(id: string, prefix: string, into: string): Promise<readonly string[]> {
      const staging = mkdtempSync(join(tmpdir(), "cadastre-follow-bucket-"));
      const { accessKeyId, secretAccessKey } = serverOf().owner;
      const place = ["--from-bucket", `s3://${owner.bucket}/${prefix}`, "--region", region];
      const where = [...place, "--endpoint", serverOf().endpoint, "--url", running.service.baseUrl];
      const how = ["--into", into, "--staging", staging, "--once", "--json"];
      const { code, stdout, stderr } = await runClient(["follow", "--subscription", id, ...where, ...how], {
        env: {
          CADASTRE_API_KEY: running.key("national"),
          AWS_ACCESS_KEY_ID: accessKeyId,
          AWS_SECRET_ACCESS_KEY: secretAccessKey,
        },
      });
      rmSync(staging, { recursive: true, force: true });
      expect([code, stderr]).toEqual([0, expect.any(String)]);
      return stdout.split("\n").slice(0, -1);
    }

    test("a subscription's seed and delta are published, the end last, and followed from the bucket", async () => {
      const { id: destinationId, prefix } = await onboarded();
      const keys = written();
      const body = {
        name: "pushed",
        domain: "listing",
        deliveryMode: "push",
        destinationId,
        cadenceSeconds: 86_400,
      };
      const created = await national.post(subscriptionsRoot, body);
      expect([created.status, created.text]).toEqual([201, expect.any(String)]);
      const { id } = dataOf<Subscription>(created);
      const seed = await delivered(id, 0);
      const folder = `${prefix}/subscriptions/${id}/00000001/00000000-${seed.id}/`;
      expect(seed).toMatchObject({ status: "complete", publication: { status: "complete", prefix: folder } });
      expect(await namesAt(seed)).toEqual(await wantedOf(seed));
      expect(keys.slice(-3)).toEqual(["manifest.json", "manifest.jws.json", "_COMPLETE"]);
      const { meta } = await national.manifest(seed.id);
      const bytes = await national.fetched(seed.id, 0);
      expect(createHash("sha256").update(bytes).digest("hex")).toBe(meta.manifest_sha256);
      const store = await openSqliteStore({
        file: running.folder.database,
        resources: storedResources,
        threads: 0,
      });
      const listed = await national.get("/reso/odata/Property?$top=1&$select=ListingKey&$orderby=ListingKey");
      const { value } = JSON.parse(listed.text) as {
        readonly value: readonly { readonly ListingKey: string }[];
      };
      await store.commit([{ resource: "Property", removed: [value[0]?.ListingKey ?? ""] }]);
      await store.close();
      await hurry(id);
      const delta = await delivered(id, 1);
      expect(delta.status).toBe("complete");
      expect(await namesAt(delta)).toEqual(await wantedOf(delta));
      expect((await namesAt(delta)).some((one) => one.includes("removals"))).toBe(true);
      serverOf().failWhen(undefined);
      if (!serverOf().isOwnersWhatRolesWrite) await owner.guard(readableByOwner(owner.bucket));
      const copies = await openCopies.sqlite();
      onTestFinished(() => copies.close());
      const loaded = await followBucket(id, prefix, await copies.target("copy"));
      expect(loaded.map((line) => JSON.parse(line) as object)).toMatchObject([
        { deliveryId: seed.id, kind: "seed", sequence: 0 },
        { deliveryId: delta.id, kind: "delta", sequence: 1, removals: expect.any(Number) as number },
      ]);
      const connection = connect({ url: running.service.baseUrl, apiKey: running.key("national") });
      await requireView(connection, copies, { copy: "copy", profileId: "listing-jsonl" });
    }, 120_000);

    test("a destination that denies it suspends, and once it is repaired the same place is published", async () => {
      const { id: destinationId, prefix } = await onboarded();
      serverOf().failWhen(({ method, path }) =>
        method === "PUT" && path.includes(prefix) && path.includes("/manifest.json")
          ? { status: 403, code: "AccessDenied" }
          : undefined,
      );
      const body = {
        name: "denied",
        domain: "listing",
        deliveryMode: "both",
        destinationId,
        cadenceSeconds: 86_400,
      };
      const { id } = dataOf<Subscription>(await national.post(subscriptionsRoot, body));
      const denied = await delivered(id, 0);
      expect(denied).toMatchObject({ status: "failed", failure: { code: "destination_denied" } });
      expect(await namesAt(denied)).not.toContain("_COMPLETE");
      expect(refusal(await national.get(`${exportsRoot}/${denied.id}/manifest`))).toEqual([
        409,
        "delivery_not_complete",
      ]);
      const seen = async () => dataOf<Subscription>(await national.get(`${subscriptionsRoot}/${id}`));
      await expect.poll(seen, { timeout: 20_000 }).toMatchObject({
        status: "suspended",
        failure: { code: "destination_degraded" },
      });
      const degraded = dataOf<Destination>(await national.get(`${destinationsRoot}/${destinationId}`));
      expect(degraded).toMatchObject({ status: "degraded", failure: { code: "bucket_denied" } });
      serverOf().failWhen(undefined);
      expect((await verified(destinationId)).status).toBe("active");
      const again = await delivered(id, 0, denied.id);
      expect(again).toMatchObject({ status: "complete", publication: { status: "complete" } });
      expect(await namesAt(again)).toEqual(await wantedOf(again));
      expect(await seen()).toMatchObject({ status: "active", failure: null });
    }, 120_000);

    test("what lies there under the same name stays, and ends the delivery", async () => {
      const { id: destinationId, prefix } = await onboarded();
      let isWritten = false;
      // Somebody else writes the manifest's name while the first part is on its way.
      serverOf().failWhen(({ method, path }) => {
        if (method !== "PUT" || isWritten || !path.includes(`${prefix}/exports/`)) return undefined;
        isWritten = true;
        const folder = path.split("?")[0]?.split("/").slice(2, -1).join("/");
        void owner.write(`${folder}/manifest.json`, "somebody else's");
        return { status: 503, code: "SlowDown" };
      });
      const reply = await national.create({ domain: "listing", deliveryMode: "push", destinationId });
      const ended = await settled(dataOf<Delivery>(reply).id);
      serverOf().failWhen(undefined);
      expect(ended).toMatchObject({
        status: "failed",
        failure: { code: "destination_conflict" },
        publication: { status: "failed" },
      });
      expect(await namesAt(ended)).not.toContain("_COMPLETE");
    }, 120_000);

    test("an entitlement that changes midway ends the publication", async () => {
      const { id: destinationId, prefix } = await onboarded();
      let change: Promise<void> | undefined;
      serverOf().failWhen(({ method, path }) => {
        if (method !== "PUT" || !path.includes(prefix)) return undefined;
        if (path.includes("manifest.json"))
          change ??= entitle(running, "national", (before) => ({
            ...before,
            products: ["listing", "property"],
          }));
        return change === undefined ? undefined : { status: 503, code: "SlowDown" };
      });
      const reply = await national.create({ domain: "listing", deliveryMode: "push", destinationId });
      const { id } = dataOf<Delivery>(reply);
      await expect.poll(() => change !== undefined, { timeout: 30_000 }).toBe(true);
      await change;
      serverOf().failWhen(undefined);
      const ended = await settled(id);
      expect(ended).toMatchObject({ status: "canceled", failure: { code: "entitlement_changed" } });
      expect(await namesAt(ended)).not.toContain("_COMPLETE");
    }, 120_000);

    test("a worker that is killed at any object leaves what its successors complete, and nothing is written again", async () => {
      const [before, beside] = [
        running,
        await run({ CADASTRE_LISTINGS: "150", CADASTRE_WORKER: "false", ...environment }),
      ];
      const settings = { CADASTRE_DATA: beside.folder.path, CADASTRE_LOG_LEVEL: "silent", ...environment };
      const start = () => startProgram("cli/main.ts", ["worker"], settings);
      [running, national] = [beside, customerOf(beside)];
      let worker = await start();
      try {
        const { id: destinationId, prefix } = await onboarded();
        // The first request for each of these kills its worker: before it is served, or after.
        const deaths: [string, "broken" | "unanswered"][] = [
          [".jsonl.gz", "unanswered"],
          ["manifest.json", "broken"],
          ["_COMPLETE", "broken"],
          ["_COMPLETE", "unanswered"],
        ];
        serverOf().failWhen(({ method, path }) => {
          const [name = "?", fault] = deaths[0] ?? [];
          const isWanted = method === "PUT" && path.includes(prefix) && path.includes(name);
          if (!isWanted || worker.child.killed) return undefined;
          deaths.shift();
          worker.child.kill("SIGKILL");
          return fault;
        });
        const reply = await national.create({ domain: "listing", deliveryMode: "push", destinationId });
        const { id } = dataOf<Delivery>(reply);
        const seen = new Map<string, object>();
        const lookAgain = async ({ publication }: Delivery) => {
          for (const { key, ...facts } of await owner.look(publication?.prefix ?? "?")) {
            expect(facts).toEqual(seen.get(key) ?? facts);
            seen.set(key, facts);
          }
        };
        for (let left = deaths.length; left > 0; left--) {
          await expect.poll(() => worker.child.signalCode, { timeout: 30_000 }).toBe("SIGKILL");
          const cutOff = await statusOf(id);
          expect(cutOff).toMatchObject({ status: "publishing", publication: { status: "publishing" } });
          await lookAgain(cutOff);
          worker = await start();
        }
        const ended = await settled(id);
        expect(ended).toMatchObject({ status: "complete", publication: { status: "complete" } });
        expect(await namesAt(ended)).toEqual(await wantedOf(ended));
        await lookAgain(ended);
        expect(await end(worker, "SIGTERM")).toBe(0);
      } finally {
        serverOf().failWhen(undefined);
        worker.child.kill("SIGKILL");
        await beside.stop();
        [running, national] = [before, customerOf(before)];
      }
    }, 180_000);

    if (isThorough) {
      describe("refused", () => {
        test.each<[string, object, string]>([
          ["no bucket", { bucket: undefined }, "invalid_bucket"],
          ["a bucket that is a number", { bucket: 1 }, "invalid_bucket"],
          ["a bucket that is none", { bucket: "A" }, "invalid_bucket"],
          ["a region that is none", { region: "mars" }, "invalid_region"],
          ["a prefix with dots", { prefix: "a/../b" }, "invalid_prefix"],
          ["a role elsewhere", { roleArn: "arn:aws:iam::111122223333:role/other/x" }, "invalid_role_arn"],
          ["a key of another region", { region: "eu-west-1" }, "invalid_kms_key_arn"],
          ["an unknown member", { extra: 1 }, "invalid_request"],
          ["an unknown member and a fault", { extra: 1, bucket: 1 }, "invalid_request"],
        ])("is a destination with %s", async (_, more, code) => {
          expect(refusal(await national.post(destinationsRoot, bodyOf(more)))).toEqual([400, code]);
        });

        test("is a place in use, whosever it is, and what is of another customer is absent", async () => {
          const { body, id } = await reserve();
          const market = customerOf(running, "market");
          const prefix = `${body.prefix}/below`;
          for (const customer of [national, market])
            expect(refusal(await customer.post(destinationsRoot, { ...body, prefix }))).toEqual([
              409,
              "destination_exists",
            ]);
          for (const own of [id, nowhere, "x", "%00"]) {
            expect(refusal(await market.get(`${destinationsRoot}/${own}`))).toEqual([404, "not_found"]);
            for (const step of ["verify", "rotate"])
              expect(refusal(await market.post(`${destinationsRoot}/${own}/${step}`, {}))).toEqual([
                404,
                "not_found",
              ]);
          }
          for (const destinationId of [id, nowhere, "x"])
            for (const [root, more] of [
              [exportsRoot, { idempotencyKey: "x" }],
              [subscriptionsRoot, { name: "x", cadenceSeconds: 3600 }],
            ] as const) {
              const asked = { domain: "listing", deliveryMode: "both", destinationId, ...more };
              expect(refusal(await market.post(root, asked))).toEqual([404, "not_found"]);
            }
          const asked = { domain: "listing", deliveryMode: "push" };
          expect(refusal(await market.create(asked))).toEqual([400, "destination_required"]);
        });

        test("is whoever does not have the capability, and everyone while nothing is pushed", async () => {
          const { body, id } = await reserve();
          await entitle(running, "market", (before) => {
            const { capabilities, ...rest } = before;
            expect(capabilities).toEqual(["file_export_push"]);
            return rest;
          });
          const market = customerOf(running, "market");
          const asked = { domain: "listing", deliveryMode: "push", destinationId: id };
          for (const reply of [
            await market.create(asked),
            await market.post(subscriptionsRoot, { ...asked, name: "x", cadenceSeconds: 3600 }),
            await market.post(destinationsRoot, body),
          ])
            expect(refusal(reply)).toEqual([403, "capability_required"]);
          const off = await run({ CADASTRE_LISTINGS: "150" });
          const unpushed = customerOf(off);
          for (const reply of [
            await unpushed.create(asked),
            await unpushed.post(subscriptionsRoot, { ...asked, name: "x", cadenceSeconds: 3600 }),
            await unpushed.post(destinationsRoot, body),
          ])
            expect(refusal(reply)).toEqual([503, "push_unavailable"]);
          expect(dataOf(await unpushed.get(destinationsRoot))).toEqual([]);
          await off.stop();
        }, 60_000);
      });
    }
  });
}

/** The policy of a bucket whose objects its owner may read, whoever has written them. */
const readableByOwner = (bucket: string): string =>
  JSON.stringify({
    Version: "2012-10-17",
    Statement: [
      {
        Effect: "Allow",
        Principal: { AWS: `arn:aws:iam::${customerAccount}:user/owner` },
        Action: "s3:GetObject",
        Resource: `arn:aws:s3:::${bucket}/*`,
      },
    ],
  });

const pause = () => new Promise((resolve) => setTimeout(resolve, 50));
