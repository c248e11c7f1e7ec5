import { createHash } from "node:crypto";
import { join } from "node:path";
import { buffer, text } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { readManifest } from "@cadastre/manifest";
import { describe, expect, test } from "vitest";
import { partNumber } from "../../src/build/build-delivery.ts";
import { grantLifetime } from "../../src/exports/grants.ts";
import {
  type ApiKeyCaller,
  createDeliveries,
  createWorker,
  type Deliveries,
  type FileExportRequest,
  folderParts,
  retain,
} from "../../src/index.ts";
import type { TestRegistry } from "../../src/testing/registry.ts";
import { scopeFor } from "../support/scope.ts";
import { scratchFolder } from "../support/scratch.ts";
import {
  admit,
  at,
  caller,
  contentsOf,
  deliveriesOf,
  endlessSource,
  meansOf,
  openRegistry,
  type Place,
  smallParts,
} from "../support/workshop.ts";

const folder = scratchFolder();
let places = 0;

type Office = {
  readonly registry: TestRegistry;
  readonly place: Place;
  readonly deliveries: Deliveries;
  readonly clock: { now: number };
  /** Build what waits. */
  readonly build: () => Promise<unknown>;
};

async function withOffice(use: (office: Office) => Promise<void>): Promise<void> {
  const own = join(folder, String(++places));
  const place = { file: `${own}.sqlite`, parts: own };
  const registry = await openRegistry(place);
  const clock = { now: at };
  try {
    await admit(registry);
    await registry.entitlements.install({ customer: "other", version: 1, jws: "a", installed: at });
    const build = createWorker({ ...meansOf(registry, place), clock: () => clock.now }).work;
    const deliveries = deliveriesOf(registry, place, () => clock.now);
    await use({ registry, place, deliveries, clock, build });
  } finally {
    await registry.close();
  }
}

const request = (idempotencyKey = "k", more: Partial<FileExportRequest> = {}): FileExportRequest => ({
  domain: "listing",
  deliveryMode: "pull",
  idempotencyKey,
  ...more,
});

const stranger: ApiKeyCaller = { scope: scopeFor({ sub: "other" }), apiKey: "02" };
const unknown = "0198f3a2-6c1e-7b57-9a53-0c1d2e3f4a5b";
const day = 86_400_000;
const expired = at + 14 * day;

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => "done",
    (error: { code: unknown }) => error.code,
  );

/** Create an export and build it. */
async function complete({ deliveries, build }: Office, key = "k"): Promise<string> {
  const { delivery } = await deliveries.create(caller, request(key));
  await build();
  return delivery.id;
}

describe("creating an export", () => {
  test("gives a delivery that waits, with an id that sorts by its time", () =>
    withOffice(async ({ deliveries }) => {
      const { delivery, replayed } = await deliveries.create(caller, request());
      expect(replayed).toBe(false);
      expect(delivery).toMatchObject({ state: "queued", domain: "listing", mode: "pull", created: at });
      expect(delivery.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(Number.parseInt(delivery.id.replace("-", "").slice(0, 12), 16)).toBe(at);
      expect(await deliveries.create(caller, request())).toEqual({ delivery, replayed: true });
      const other = deliveries.create(caller, request("k", { profileId: "small" }));
      expect(await codeOf(other)).toBe("idempotency_conflict");
    }));

  test.each<[string, Partial<FileExportRequest>]>([
    ["unknown_domain", { domain: "weather" }],
    ["unknown_domain", { domain: "property" }],
    ["unknown_profile", { profileId: "large" }],
    ["invalid_request", { idempotencyKey: "" }],
    ["invalid_request", { idempotencyKey: "k\0" }],
    ["invalid_request", { idempotencyKey: "\ud800" }],
    ["invalid_request", { idempotencyKey: "k".repeat(256) }],
    ["invalid_request", { destinationId: unknown }],
    ["destination_required", { deliveryMode: "push" }],
    ["capability_required", { deliveryMode: "both", destinationId: unknown }],
  ])("is refused as %s: %j", (code, more) =>
    withOffice(async ({ deliveries }) => {
      expect(await codeOf(deliveries.create(caller, request("k", more)))).toBe(code);
      expect(await codeOf(deliveries.create(caller, request()))).toBe("done");
    }),
  );

  test("is refused without the product, without anything to deliver, and for a push", () =>
    withOffice(async ({ registry, place, deliveries }) => {
      const without = { ...caller, scope: scopeFor({ products: ["property"] }) };
      expect(await codeOf(deliveries.create(without, request()))).toBe("entitlement_denied");
      const pushes = { ...caller, scope: scopeFor({ capabilities: ["file_export_push"] }) };
      const push = request("k", { deliveryMode: "push", destinationId: unknown });
      expect(await codeOf(deliveries.create(pushes, push))).toBe("push_unavailable");
      const nothing = createDeliveries({
        ledger: registry.deliveries,
        source: { ...endlessSource(), columns: () => undefined },
        parts: folderParts(place.parts),
        profiles: [smallParts],
      });
      expect(await codeOf(nothing.create(caller, request()))).toBe("entitlement_denied");
    }));

  test("is refused once as many are open as the entitlement says", () =>
    withOffice(async ({ deliveries, build }) => {
      const two = { ...caller, scope: scopeFor({ limits: { open_exports: 2 } }) };
      for (const key of ["a", "b"]) await deliveries.create(two, request(key));
      expect(await codeOf(deliveries.create(two, request("c")))).toBe("too_many_exports");
      expect(await codeOf(deliveries.create(two, request("a")))).toBe("done");
      await build();
      expect(await codeOf(deliveries.create(two, request("c")))).toBe("done");
    }));
});

describe("fetching a delivery", () => {
  test("goes from its status over its manifest to its parts", () =>
    withOffice(async (office) => {
      const { deliveries, build } = office;
      const { delivery } = await deliveries.create(caller, request());
      const { id } = delivery;
      expect(await deliveries.status(caller, id)).toEqual({ delivery, state: "queued", parts: 0 });
      for (const asked of [deliveries.manifest(caller, id), deliveries.grant(caller, id, 0)])
        expect(await codeOf(asked)).toBe("delivery_not_complete");
      expect(await deliveries.list(caller, { limit: 10 })).toEqual([]);
      await build();
      expect(await deliveries.status(caller, id)).toMatchObject({ state: "complete", parts: 7 });
      expect(await deliveries.list(caller, { limit: 10 })).toMatchObject([{ id }]);

      const sealed = await deliveries.manifest(caller, id);
      const manifest = readManifest(Buffer.from(sealed.text));
      expect(manifest.window.toCheckpoint).toMatch(/^c1:[0-9a-f]{32}$/);
      for (const part of manifest.parts) {
        const { token, expires } = await deliveries.grant(caller, id, part.number);
        expect(expires).toBe(at + grantLifetime);
        const redeemed = await deliveries.redeem(caller, token);
        const bytes = await buffer(redeemed.stream());
        expect(redeemed).toMatchObject({ byteLength: part.byteLength, sha256: part.sha256 });
        expect(createHash("sha256").update(bytes).digest("hex")).toBe(part.sha256);
        expect(gunzipSync(bytes)).toHaveLength(part.uncompressedByteLength);
      }
      const whole = await deliveries.redeem(caller, (await deliveries.grant(caller, id, 0)).token);
      expect(whole).toMatchObject({ sha256: sealed.sha256, byteLength: Buffer.byteLength(sealed.text) });
      expect(await text(whole.stream())).toBe(sealed.text);
    }));

  test.each([-1, 1, 1.5, 2 ** 31, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY])("has no part %d", (part) =>
    withOffice(async (office) => {
      const id = await complete(office);
      expect(await codeOf(office.deliveries.grant(caller, id, part))).toBe("part_not_found");
    }),
  );

  test("is for its customer alone: for others it does not exist", () =>
    withOffice(async (office) => {
      const { deliveries } = office;
      const id = await complete(office);
      const { token } = await deliveries.grant(caller, id, 0);
      const acknowledgement = { generation: 1, sequence: 0, manifestSha256: "0".repeat(64), reference: "r" };
      const asks = (who: ApiKeyCaller, wanted: string) => [
        deliveries.status(who, wanted),
        deliveries.manifest(who, wanted),
        deliveries.grant(who, wanted, 0),
        deliveries.grant(who, wanted, 99),
        deliveries.acknowledge(who, wanted, acknowledgement),
        deliveries.acknowledge(who, wanted, { ...acknowledgement, reference: "\0" }),
        deliveries.cancel(who, wanted),
      ];
      const answers = [
        ...asks(stranger, id),
        ...[unknown, "", "x\0", id.toUpperCase(), `${id}\n`].flatMap((wanted) => asks(caller, wanted)),
      ];
      expect(new Set(await Promise.all(answers.map(codeOf)))).toEqual(new Set(["not_found"]));
      expect(await deliveries.list(stranger, { limit: 10 })).toEqual([]);
      expect(await codeOf(deliveries.redeem(stranger, token))).toBe("invalid_token");
    }));

  test("ends with its time: 410 before anybody has noted it, and after", () =>
    withOffice(async (office) => {
      const { deliveries, registry, place, clock } = office;
      const id = await complete(office);
      clock.now = expired - 1;
      const { token } = await deliveries.grant(caller, id, 0);
      const fetches = () => [
        deliveries.manifest(caller, id),
        deliveries.grant(caller, id, 0),
        deliveries.redeem(caller, token),
      ];
      for (const fetched of fetches()) expect(await codeOf(fetched)).toBe("done");
      clock.now = expired;
      for (const fetched of fetches()) expect(await codeOf(fetched)).toBe("delivery_expired");
      expect(await deliveries.status(caller, id)).toMatchObject({ state: "expired" });
      expect(await deliveries.list(caller, { limit: 10 })).toEqual([]);
      const parts = folderParts(place.parts);
      const done = await retain({ ledger: registry.deliveries, parts }, clock.now);
      expect(done).toEqual({ expired: 1, purged: 1, removed: 7, swept: 0 });
      for (const fetched of fetches()) expect(await codeOf(fetched)).toBe("delivery_expired");
      expect(await deliveries.status(caller, id)).toMatchObject({ state: "purged", parts: 0 });
    }));

  test("ends when the entitlement does not cover it any more, and goes on when it grew", () =>
    withOffice(async (office) => {
      const { deliveries } = office;
      const id = await complete(office);
      const { token } = await deliveries.grant(caller, id, 0);
      const codes = (scope: ApiKeyCaller["scope"]) =>
        Promise.all(
          [
            deliveries.manifest({ ...caller, scope }, id),
            deliveries.grant({ ...caller, scope }, id, 0),
            deliveries.redeem({ ...caller, scope }, token),
          ].map(codeOf),
        );
      const narrower = scopeFor({ regions: [{ kind: "state", value: "TX" }] });
      expect(await codes(narrower)).toEqual(Array.from({ length: 3 }, () => "entitlement_changed"));
      expect(await codes(scopeFor({ products: ["listing", "property"] }))).toEqual(["done", "done", "done"]);
      expect(await deliveries.status({ ...caller, scope: narrower }, id)).toMatchObject({
        state: "complete",
      });
    }));
});

describe("a token", () => {
  test("is good for as long as is said, as often as need be, for the key that it was given to", () =>
    withOffice(async (office) => {
      const { deliveries, clock } = office;
      const id = await complete(office);
      const { token } = await deliveries.grant(caller, id, partNumber(0));
      const redeem = async (who = caller, text = token) => {
        const { stream } = await deliveries.redeem(who, text);
        stream().destroy();
      };
      for (let i = 0; i < 3; i++) await redeem();
      const wrong = [
        redeem({ ...caller, apiKey: "02" }),
        redeem(stranger),
        redeem(caller, ""),
        redeem(caller, `${token.slice(0, -1)}~`),
        redeem(caller, `ldsg_${"0".repeat(49)}`),
      ];
      expect(new Set(await Promise.all(wrong.map(codeOf)))).toEqual(new Set(["invalid_token"]));
      clock.now = at + grantLifetime - 1;
      await redeem();
      clock.now = at + grantLifetime;
      expect(await codeOf(redeem())).toBe("invalid_token");
    }));

  test("is nowhere in the ledger", () =>
    withOffice(async (office) => {
      const { deliveries, registry } = office;
      const { token } = await deliveries.grant(caller, await complete(office), 0);
      const digest = createHash("sha256").update(token).digest("hex");
      expect(JSON.stringify(await registry.deliveries.grants.find(digest))).not.toContain(token);
    }));
});

describe("ending a delivery", () => {
  test("an acknowledgement says what was loaded, once", () =>
    withOffice(async (office) => {
      const { deliveries } = office;
      const id = await complete(office);
      const { sha256 } = await deliveries.manifest(caller, id);
      const loaded = { generation: 1, sequence: 0, manifestSha256: sha256, reference: "load 7" };
      const first = await deliveries.acknowledge(caller, id, loaded);
      expect(first).toMatchObject({ first: true, acknowledgement: { ...loaded, delivery: id, at } });
      expect(await deliveries.acknowledge(caller, id, loaded)).toEqual({ ...first, first: false });
      const codes = [
        { ...loaded, manifestSha256: "0".repeat(64) },
        { ...loaded, sequence: 1 },
        { ...loaded, reference: "r".repeat(257) },
        { ...loaded, reference: "\0" },
      ].map((wrong) => codeOf(deliveries.acknowledge(caller, id, wrong)));
      expect(await Promise.all(codes)).toEqual([
        "manifest_conflict",
        "sequence_conflict",
        "invalid_request",
        "invalid_request",
      ]);
    }));

  test("a delivery that waits is canceled, its parts are removed; a complete one stays", () =>
    withOffice(async (office) => {
      const { deliveries, registry, place, build } = office;
      const done = await complete(office);
      const { delivery } = await deliveries.create(caller, request("other"));
      const canceled = await deliveries.cancel(caller, delivery.id);
      expect(canceled).toMatchObject({ state: "canceled", code: "canceled_by_customer" });
      expect(await deliveries.cancel(caller, delivery.id)).toEqual(canceled);
      expect(await codeOf(deliveries.cancel(caller, done))).toBe("delivery_not_open");
      expect(await codeOf(deliveries.manifest(caller, delivery.id))).toBe("delivery_not_complete");
      expect(await build()).toBeUndefined();
      // The other one has the same bytes.
      await retain({ ledger: registry.deliveries, parts: folderParts(place.parts) }, at);
      expect(contentsOf(place).parts).toHaveLength(7);
    }));

  test("what a delivery shares with another stays until that has expired as well", () =>
    withOffice(async (office) => {
      const { registry, place, clock } = office;
      const keep = () => retain({ ledger: registry.deliveries, parts: folderParts(place.parts) }, clock.now);
      await complete(office, "a");
      clock.now += day;
      await complete(office, "b");
      expect(contentsOf(place).parts).toHaveLength(7);
      clock.now = expired;
      expect(await keep()).toMatchObject({ expired: 1, purged: 1, removed: 0 });
      expect(contentsOf(place).parts).toHaveLength(7);
      clock.now += day;
      expect(await keep()).toMatchObject({ expired: 1, purged: 1, removed: 7 });
      expect(contentsOf(place)).toEqual({ parts: [], staged: 0 });
    }));
});

test("bytes that cannot be removed stay known", () =>
  withOffice(async (office) => {
    const { registry, place } = office;
    await complete(office);
    const parts = folderParts(place.parts);
    const ledger = registry.deliveries;
    const fault = Object.assign(new Error("the disk is gone"), { code: "parts_unavailable" });
    const broken = { ...parts, remove: () => Promise.reject(fault) };
    await expect(retain({ ledger, parts: broken }, expired)).rejects.toBe(fault);
    expect(await retain({ ledger, parts }, expired)).toMatchObject({ expired: 0, removed: 7 });
    expect(contentsOf(place).parts).toEqual([]);
  }));
