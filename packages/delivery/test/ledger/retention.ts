import { setTimeout } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { PartGrant } from "../../src/ledger/part-grant.ts";
import type { TestRegistry } from "../../src/testing/registry.ts";
import {
  addPart,
  at,
  claim,
  codeOf,
  complete,
  create,
  customer,
  day,
  manifest,
  newPart,
  sha,
  type WithRegistry,
} from "../support/tables.ts";

/** What becomes of grants and of what is over, whatever the database. */
export function retentionConformance(name: string, withRegistry: WithRegistry): void {
  describe(`grants of parts in ${name}`, () => {
    test("a grant is found by its digest until it is forgotten", () =>
      withRegistry(async (registry) => {
        const { deliveries } = registry;
        const { id } = await create(registry);
        const grant: PartGrant = {
          digest: sha("d"),
          customer,
          apiKey: "01",
          delivery: id,
          part: 4_294_967_296,
          scopeSha256: sha("5c09e"),
          expires: at + 300_000,
        };
        await deliveries.grants.add(grant);
        expect((await deliveries.grants.find(sha("d")))?.grant).toEqual(grant);
        expect(await deliveries.grants.find(sha("c"))).toBeUndefined();
        await deliveries.retention.expire(at + 299_999);
        expect((await deliveries.grants.find(sha("d")))?.grant).toEqual(grant);
        await deliveries.retention.expire(at + 300_000);
        expect(await deliveries.grants.find(sha("d"))).toBeUndefined();
      }));

    test("it is found with its delivery and its part as they are then", () =>
      withRegistry(async (registry) => {
        const { deliveries } = registry;
        const { id: delivery, scopeSha256, expires } = await create(registry);
        const [other, part] = [newPart(0), newPart(1)];
        const give = (digest: string, { number }: { readonly number: number }) =>
          deliveries.grants.add({
            digest,
            customer,
            apiKey: "01",
            delivery,
            part: number,
            scopeSha256: sha("another"),
            expires: at + 20 * day,
          });
        await give(sha("part"), part);
        await give(sha("manifest"), { number: 0 });
        const found = async (digest: string) => {
          const { grant: _, ...of } = (await deliveries.grants.find(digest)) ?? {};
          return of;
        };
        expect(await found(sha("part"))).toEqual({
          delivery: { state: "queued", mode: "pull", expires, scopeSha256 },
          part: undefined,
          isDamaged: false,
        });
        const claimed = await claim(registry);
        await addPart(registry, claimed, other);
        await addPart(registry, claimed, part);
        const { sha256, byteLength } = part;
        expect(await found(sha("part"))).toEqual({
          delivery: { state: "building", mode: "pull", expires, scopeSha256 },
          part: { sha256, byteLength },
          isDamaged: false,
        });
        expect(await found(sha("manifest"))).toEqual({
          delivery: { state: "building", mode: "pull", expires, scopeSha256 },
          part: undefined,
          isDamaged: false,
        });
      }));
  });

  describe(`retention of deliveries in ${name}`, () => {
    /** Hashes of what is removed now. */
    async function removed({ deliveries: { retention } }: TestRegistry): Promise<readonly string[]> {
      const hashes: string[] = [];
      const count = await retention.removeBytes(100, async (sha256) => void hashes.push(sha256));
      expect(hashes).toHaveLength(count);
      return hashes.toSorted();
    }

    test("a delivery expires at its time, and is purged; its hash stays", () =>
      withRegistry(async (registry) => {
        const { deliveries } = registry;
        const { id } = await create(registry);
        await complete(registry);
        expect(await deliveries.retention.expire(at + 14 * day - 1)).toBe(0);
        expect(await deliveries.retention.expire(at + 14 * day)).toBe(1);
        expect(await deliveries.find(customer, id)).toMatchObject({ state: "expired" });
        expect(await deliveries.parts(id)).toHaveLength(2);
        expect(await removed(registry)).toEqual([]);
        expect(await deliveries.retention.purge()).toBe(1);
        const purged = { state: "purged", manifestSha256: manifest.sha256, completed: at };
        expect(await deliveries.find(customer, id)).toMatchObject(purged);
        expect(await deliveries.parts(id)).toEqual([]);
        expect(await deliveries.manifest(id)).toBeUndefined();
        expect(await removed(registry)).toEqual([sha("a0"), sha("a1")]);
        expect(await removed(registry)).toEqual([]);
      }));

    test("bytes that another delivery needs, or that are being put, stay", () =>
      withRegistry(async (registry) => {
        const { deliveries } = registry;
        await create(registry);
        await complete(registry, at, [newPart(0), newPart(1), newPart(2)]);
        const { id } = await create(registry, { expires: at + 30 * day });
        const held = await claim(registry);
        await addPart(registry, held, newPart(0, sha("a1")));
        await deliveries.queue.announce(held, sha("a2"));
        await deliveries.retention.expire(at + 14 * day);
        await deliveries.retention.purge();
        expect(await removed(registry)).toEqual([sha("a0")]);
        // Nobody is putting what was announced before something else was.
        await deliveries.queue.announce(held, sha("a3"));
        expect(await removed(registry)).toEqual([sha("a2")]);
        await deliveries.cancel(customer, id, "canceled");
        await deliveries.retention.purge();
        expect(await removed(registry)).toEqual([sha("a1"), sha("a3")]);
        await deliveries.queue.abandon(sha("a4"));
        expect(await removed(registry)).toEqual([sha("a4")]);
      }));

    test("bytes whose removal fails are removed later", () =>
      withRegistry(async (registry) => {
        const { deliveries } = registry;
        await deliveries.queue.abandon(sha("a"));
        const failing = deliveries.retention.removeBytes(1, () => Promise.reject(new Error("no disk")));
        expect(await codeOf(failing)).not.toBe("done");
        expect(await removed(registry)).toEqual([sha("a")]);
      }));

    test("bytes that are announced while they are removed are announced after it", () =>
      withRegistry(async (registry, again) => {
        const other = await again();
        await registry.deliveries.queue.abandon(sha("a"));
        await create(registry);
        const held = await claim(registry);
        const order: string[] = [];
        let announced: Promise<unknown> = Promise.resolve();
        await registry.deliveries.retention.removeBytes(1, async () => {
          announced = other.deliveries.queue.announce(held, sha("a")).then(() => order.push("announced"));
          await setTimeout(50);
          order.push("removed");
        });
        await announced;
        expect(order).toEqual(["removed", "announced"]);
        expect(await removed(registry)).toEqual([]);
      }));

    test("bytes that have been announced are not removed, however close it was", () =>
      withRegistry(async (registry, again) => {
        const other = await again();
        await create(registry);
        const held = await claim(registry);
        for (let round = 0; round < 40; round++) {
          const sha256 = sha(`b${round}c`);
          await registry.deliveries.queue.abandon(sha256);
          let isAnnounced = false;
          const announcing = other.deliveries.queue.announce(held, sha256).then(() => {
            isAnnounced = true;
          });
          await setTimeout((round % 8) / 2);
          const late: boolean[] = [];
          // What the round before announced is nobody's any more, too.
          await registry.deliveries.retention.removeBytes(2, async (removing) => {
            late.push(removing === sha256 && isAnnounced);
          });
          await announcing;
          expect(late).not.toContain(true);
        }
      }));

    test("claims that hold are told, and the checkpoint that building reads from", () =>
      withRegistry(async (registry) => {
        const { queue, retention } = registry.deliveries;
        expect(await retention.earliestCheckpoint()).toBeUndefined();
        await create(registry, { toCheckpoint: 30 });
        await create(registry, { fromCheckpoint: 20, toCheckpoint: 40, created: at + 1 });
        expect(await retention.earliestCheckpoint()).toBe(20);
        const [first, second] = [await claim(registry), await claim(registry)];
        expect(await retention.claims()).toEqual(expect.arrayContaining([first, second]));
        await queue.seal(second, manifest, at);
        expect(await retention.earliestCheckpoint()).toBe(30);
        await queue.end(first, "failed", "fault");
        expect(await retention.earliestCheckpoint()).toBeUndefined();
        expect(await retention.claims()).toEqual([]);
      }));
  });
}
