import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { EntitlementError } from "@cadastre/entitlement";
import { readManifest, verifyManifest } from "@cadastre/manifest";
import { StoreError } from "@cadastre/store";
import { describe, expect, test } from "vitest";
import { rebuildPoints } from "../../src/build/crash-point.ts";
import {
  createDeliveries,
  createRebuilder,
  createWorker,
  type DamageReport,
  type Deliveries,
  DeliveryError,
  folderParts,
  type OutputProfile,
  retain,
  type WorkerOptions,
  type WorkReport,
} from "../../src/index.ts";
import type { TestRegistry } from "../../src/testing/registry.ts";
import { scopeFor } from "../support/scope.ts";
import { scratchFolder } from "../support/scratch.ts";
import { sending } from "../support/sending.ts";
import { spawnWorker } from "../support/spawn-worker.ts";
import {
  at,
  caller,
  checkedManifest,
  contentsOf,
  customer,
  endlessSource,
  keySet,
  largeParts,
  meansOf,
  openRegistry,
  order,
  type Place,
  smallParts,
} from "../support/workshop.ts";

const folder = scratchFolder();
let places = 0;

type Part = { readonly number: number; readonly sha256: string; readonly byteLength: number };

type Office = {
  readonly registry: TestRegistry;
  readonly place: Place & { readonly file: string };
  readonly deliveries: Deliveries;
  /** A delivery that is complete. */
  readonly id: string;
  readonly parts: readonly Part[];
  readonly fileOf: (part: Part | undefined) => string;
  readonly reports: readonly DamageReport[];
  readonly rebuild: (options?: Partial<WorkerOptions>) => Promise<WorkReport | undefined>;
};

/** @param times how many times as many records there are */
async function withOffice(
  use: (office: Office) => Promise<void>,
  { profile = smallParts, times = 1 }: { readonly profile?: OutputProfile; readonly times?: number } = {},
): Promise<void> {
  const own = join(folder, String(++places));
  const place = { file: `${own}.sqlite`, parts: own };
  const registry = await openRegistry(place);
  try {
    const [delivery] = await order(registry, place, 1, profile);
    const id = delivery?.id ?? "";
    const means = { ...meansOf(registry, place, { source: endlessSource(100, times) }), backoff: 0 };
    expect(await createWorker({ ...means, clock: () => at }).work()).toMatchObject({ outcome: "complete" });
    const reports: DamageReport[] = [];
    const deliveries = createDeliveries({
      ledger: registry.deliveries,
      source: endlessSource(),
      parts: folderParts(place.parts),
      profiles: [profile],
      clock: () => at,
      onDamage: (report) => void reports.push(report),
    });
    const { parts } = readManifest(Buffer.from((await deliveries.manifest(caller, id)).text));
    const fileOf = (part: Part | undefined) =>
      join(place.parts, "parts", part?.sha256.slice(0, 2) ?? "", part?.sha256 ?? "");
    const rebuild: Office["rebuild"] = (options) => createRebuilder({ ...means, ...options }).work();
    await use({ registry, place, deliveries, id, parts, fileOf, reports, rebuild });
  } finally {
    await registry.close();
  }
}

/** Flips a bit of a file. */
function flip(file: string, where = 0.5): void {
  const bytes = readFileSync(file);
  const index = Math.min(bytes.length - 1, Math.floor(bytes.length * where));
  bytes[index] = (bytes[index] ?? 0) ^ 1;
  writeFileSync(file, bytes);
}

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => "done",
    (error: { code: unknown }) => error.code,
  );

/** The bytes that a client gets of a grant, until the connection ends, and what the sending ended with. */
async function fetched({ deliveries, id }: Office, part: Part | undefined) {
  const { token } = await deliveries.grant(caller, id, part?.number ?? -1);
  const redeemed = await deliveries.redeem(caller, token);
  const pieces: Buffer[] = [];
  const sent = sending(redeemed, async (socket) => {
    socket.on("error", () => {});
    socket.on("data", (piece: Buffer) => pieces.push(piece));
    await new Promise((resolve) => socket.once("close", resolve));
  });
  return { code: await codeOf(sent), bytes: Buffer.concat(pieces) };
}

describe("a stored part that is damaged", () => {
  test.each<[string, (file: string) => void]>([
    ["a flipped bit", (file) => flip(file)],
    ["a flipped bit at its start", (file) => flip(file, 0)],
    ["a flipped bit at its end", (file) => flip(file, 1)],
    ["bytes that are gone", (file) => truncateSync(file, 1000)],
    ["bytes that are too many", (file) => writeFileSync(file, "more", { flag: "a" })],
    ["no file", (file) => rmSync(file)],
    [
      "a folder in its place",
      (file) => {
        rmSync(file);
        mkdirSync(join(file, "full"), { recursive: true });
      },
    ],
  ])("%s: it is refused, marked and reported once, rebuilt, and then served", (_, damage) =>
    withOffice(async (office) => {
      const { deliveries, id, parts, fileOf, reports, rebuild, registry, place } = office;
      const [first, second] = parts;
      const { token } = await deliveries.grant(caller, id, first?.number ?? 0);
      damage(fileOf(first));
      // A short part is refused before its first byte.
      expect(await codeOf(deliveries.redeem(caller, token))).toBe("part_rebuilding");
      expect(await codeOf(deliveries.redeem(caller, token))).toBe("part_rebuilding");
      expect(await codeOf(deliveries.grant(caller, id, first?.number ?? 0))).toBe("part_rebuilding");
      expect(reports).toMatchObject([{ delivery: id, part: first?.number }]);
      expect((await fetched(office, second)).code).toBe("done");
      expect(await codeOf(deliveries.manifest(caller, id))).toBe("done");
      expect(await rebuild()).toEqual({ delivery: id, outcome: "rebuilt" });
      expect(await rebuild()).toBeUndefined();
      const { code, bytes } = await fetched(office, first);
      expect([code, createHash("sha256").update(bytes).digest("hex")]).toEqual(["done", first?.sha256]);
      await checkedManifest(registry, place, id);
      expect(contentsOf(place)).toMatchObject({ staged: 0, parts: { length: 7 } });
    }),
  );

  test.each([0.01, 0.5, 0.99])(
    "a long one is broken off before its last bytes, a bit of which flipped at %d",
    (where) =>
      withOffice(
        async (office) => {
          const { deliveries, id, parts, fileOf, reports, rebuild } = office;
          const part = parts.toSorted((a, b) => b.byteLength - a.byteLength)[0];
          expect(part?.byteLength).toBeGreaterThan(3_000_000);
          flip(fileOf(part), where);
          const { code, bytes } = await fetched(office, part);
          expect(code).toBe("part_rebuilding");
          expect(bytes.length).toBeLessThan(part?.byteLength ?? 0);
          expect(reports).toMatchObject([{ delivery: id, part: part?.number }]);
          expect(await codeOf(deliveries.grant(caller, id, part?.number ?? 0))).toBe("part_rebuilding");
          expect(await rebuild()).toMatchObject({ outcome: "rebuilt" });
          expect((await fetched(office, part)).bytes).toHaveLength(part?.byteLength ?? 0);
        },
        { profile: largeParts, times: 20 },
      ),
    60_000,
  );

  test("only the damaged part is read and written again", () =>
    withOffice(async ({ registry, parts, fileOf, rebuild }) => {
      const damaged = parts[5];
      flip(fileOf(damaged));
      await registry.deliveries.damage.mark(damaged?.sha256 ?? "", at);
      const source = endlessSource();
      const read: string[] = [];
      const points: string[] = [];
      const built = await rebuild({
        source: {
          ...source,
          read: (request) => {
            read.push(request.dataset);
            return source.read(request);
          },
        },
        at: (point) => void points.push(point),
      });
      expect(built).toMatchObject({ outcome: "rebuilt" });
      expect(read).toEqual(["listing_media"]);
      expect(points).toEqual([...rebuildPoints]);
    }));

  test("a mark of a part that is good is removed, and nothing is built", () =>
    withOffice(async ({ registry, parts, rebuild }) => {
      await registry.deliveries.damage.mark(parts[0]?.sha256 ?? "", at);
      const source = { ...endlessSource(), read: () => expect.unreachable() };
      expect(await rebuild({ source })).toMatchObject({ outcome: "rebuilt" });
      expect(await registry.deliveries.damage.isMarked(parts[0]?.sha256 ?? "")).toBe(false);
    }));

  test(
    "a rebuilder that is killed at any point leaves what its successor completes",
    () =>
      withOffice(async ({ registry, place, id, parts, fileOf }) => {
        for (const point of rebuildPoints) {
          flip(fileOf(parts[1]));
          await registry.deliveries.damage.mark(parts[1]?.sha256 ?? "", at);
          const task = { place, lease: 250, rebuilds: parts[1]?.sha256 ?? "" };
          expect(await spawnWorker({ ...task, crash: { point, time: 1 } }).ended).toBe("SIGKILL");
          const isOver = point === "after_rebuild";
          expect(await registry.deliveries.damage.isMarked(parts[1]?.sha256 ?? "")).toBe(!isOver);
          expect(await spawnWorker(task).ended).toBeNull();
          expect(await registry.deliveries.damage.isMarked(parts[1]?.sha256 ?? "")).toBe(false);
          await checkedManifest(registry, place, id);
        }
        const swept = await retain({ ledger: registry.deliveries, parts: folderParts(place.parts) }, at);
        expect(swept).toMatchObject({ removed: 0 });
        expect(contentsOf(place)).toMatchObject({ staged: 0, parts: { length: 7 } });
      }),
    180_000,
  );
});

describe("a part that cannot be rebuilt", () => {
  const changed = scopeFor({ products: ["listing", "property"] });
  const failing = (error: Error) => ({
    ...endlessSource(),
    read: () => {
      throw error;
    },
  });
  const other = endlessSource(100, 2);
  const renamed = {
    ...other,
    read: (request: Parameters<typeof other.read>[0]) => other.read({ ...request, from: "1" }),
  };

  test.each<[string, Partial<WorkerOptions>]>([
    ["records that are others by now", { source: renamed }],
    ["versions that are gone", { source: failing(new StoreError("bookmark_expired")) }],
    ["another schema", { source: { ...endlessSource(), columns: () => [] } }],
    ["another entitlement", { scopeOf: async () => changed }],
    ["a source that fails each time", { source: failing(new Error("broken")), attempts: 1 }],
  ])("%s: the delivery fails as `part_lost`, and others go on", (_, options) =>
    withOffice(async ({ registry, place, deliveries, id, parts, fileOf, rebuild }) => {
      const [first] = parts;
      const { token } = await deliveries.grant(caller, id, first?.number ?? 0);
      flip(fileOf(first));
      expect(await codeOf(deliveries.redeem(caller, token))).toBe("part_rebuilding");
      expect(await rebuild(options)).toMatchObject({ delivery: id, outcome: "failed", code: "part_lost" });
      expect(await registry.deliveries.find(customer, id)).toMatchObject({
        state: "failed",
        code: "part_lost",
      });
      for (const asked of [
        deliveries.redeem(caller, token),
        deliveries.grant(caller, id, first?.number ?? 0),
        deliveries.manifest(caller, id),
      ])
        expect(await codeOf(asked)).toBe("part_lost");
      expect(await rebuild()).toBeUndefined();
      await retain({ ledger: registry.deliveries, parts: folderParts(place.parts) }, at);
      expect(contentsOf(place)).toEqual({ parts: [], staged: 0 });
      expect(await codeOf(deliveries.grant(caller, id, 0))).toBe("part_lost");
    }),
  );

  test.each<[string, Partial<WorkerOptions>]>([
    [
      "an entitlement that has expired",
      { scopeOf: () => Promise.reject(new EntitlementError("entitlement_expired")) },
    ],
    ["no entitlement", { scopeOf: async () => undefined }],
    ["a folder that cannot be written", { parts: unwritable() }],
  ])("%s is waited for, however often it is tried", (_, options) =>
    withOffice(async ({ registry, id, parts, fileOf, rebuild, place }) => {
      rmSync(fileOf(parts[0]));
      await registry.deliveries.damage.mark(parts[0]?.sha256 ?? "", at);
      for (let times = 0; times < 3; times++)
        expect(await rebuild({ attempts: 1, ...options })).toMatchObject({ outcome: "damaged" });
      expect(await registry.deliveries.find(customer, id)).toMatchObject({ state: "complete" });
      expect(await rebuild()).toMatchObject({ outcome: "rebuilt" });
      await checkedManifest(registry, place, id);
    }),
  );

  /** Parts that are not there, in a folder that is out of reach. */
  function unwritable() {
    const refuse = () => Promise.reject(new DeliveryError("parts_not_writable"));
    return { ...folderParts(join(folder, "none")), probe: refuse, replace: refuse };
  }
});

describe("a manifest", () => {
  const columns = ["text", "sha256", "signature"] as const;

  test.each(columns)("whose %s is damaged is refused, and written again as it was", (column) =>
    withOffice(async ({ registry, place, id }) => {
      const good = await registry.deliveries.manifest(id);
      if (good === undefined) throw new Error("the delivery has a manifest");
      let stored = { ...good, [column]: `${good[column].slice(0, -3)}~~~` };
      const ledger = {
        ...registry.deliveries,
        manifest: async () => stored,
        damage: {
          ...registry.deliveries.damage,
          replaceManifest: async (
            ...given: Parameters<typeof registry.deliveries.damage.replaceManifest>
          ) => {
            await registry.deliveries.damage.replaceManifest(...given);
            stored = (await registry.deliveries.manifest(id)) ?? stored;
          },
        },
      };
      const means = meansOf(registry, place, { ledger });
      const reports: DamageReport[] = [];
      const deliveries = createDeliveries({
        ...means,
        ledger,
        profiles: [smallParts],
        clock: () => at,
        onDamage: (report) => void reports.push(report),
      });
      const { token } = await deliveries.grant(caller, id, 0);
      for (const asked of [
        () => deliveries.redeem(caller, token),
        () => deliveries.manifest(caller, id),
        () => deliveries.grant(caller, id, 0),
      ])
        expect(await codeOf(asked())).toBe("part_rebuilding");
      expect(reports).toMatchObject([{ delivery: id, part: 0 }]);
      expect(await createRebuilder(means).work()).toMatchObject({ outcome: "rebuilt" });
      const again = await deliveries.manifest(caller, id);
      expect(again).toMatchObject({ text: good.text, sha256: good.sha256 });
      expect(await verifyManifest(Buffer.from(again.text), JSON.parse(again.signature), keySet)).toBe("test");
      await checkedManifest(registry, place, id);
    }),
  );
});
