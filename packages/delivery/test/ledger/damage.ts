import { describe, expect, test } from "vitest";
import type { NewDelivery } from "../../src/ledger/delivery.ts";
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

const lease = 60_000;
const [first, second] = [newPart(0), newPart(1)];

/** Creates a delivery and builds it to its end. */
async function built(registry: TestRegistry, more: Partial<NewDelivery> = {}) {
  const { id } = await create(registry, more);
  await complete(registry);
  return id;
}

const claimed = async ({ deliveries: { damage } }: TestRegistry) => {
  const found = await damage.claim("w1", lease);
  if (found === undefined) throw new Error("nothing is damaged");
  return found;
};

/** Marks of damaged bytes, whatever the database. */
export function damageConformance(name: string, withRegistry: WithRegistry): void {
  describe(`damaged parts in ${name}`, () => {
    test("bytes are marked once, rebuilt by one worker, and then as good as before", () =>
      withRegistry(async (registry, again) => {
        const { damage } = registry.deliveries;
        const id = await built(registry);
        expect(await damage.claim("w1", lease)).toBeUndefined();
        expect(await damage.mark(second.sha256, at)).toBe(true);
        expect(await (await again()).deliveries.damage.mark(second.sha256, at + 1)).toBe(false);
        expect([await damage.isMarked(second.sha256), await damage.isMarked(first.sha256)]).toEqual([
          true,
          false,
        ]);
        const found = await claimed(registry);
        expect(found).toMatchObject({
          claim: { id: second.sha256, fence: 1 },
          delivery: { id },
          part: second,
          attempts: 1,
        });
        expect(await damage.claim("w2", lease)).toBeUndefined();
        expect(await registry.deliveries.retention.claims()).toEqual([found.claim]);
        await damage.extend(found.claim, lease);
        await damage.clear(found.claim);
        expect(await damage.isMarked(second.sha256)).toBe(false);
        expect(await codeOf(damage.clear(found.claim))).toBe("lease_lost");
      }));

    test("a lease that has ended is another's, and who had it can do nothing any more", () =>
      withRegistry(async (registry) => {
        const { damage } = registry.deliveries;
        const id = await built(registry);
        await damage.mark(first.sha256, at);
        const lost = (await damage.claim("w1", -1))?.claim ?? { id: "", fence: 0 };
        const held = (await claimed(registry)).claim;
        expect(held.fence).toBe(lost.fence + 1);
        const asked = [
          damage.extend(lost, 1),
          damage.clear(lost),
          damage.retry(lost, 0),
          damage.lose(lost, id),
        ];
        expect(new Set(await Promise.all(asked.map(codeOf)))).toEqual(new Set(["lease_lost"]));
        await damage.retry(held, 0, "uncounted");
        expect(await claimed(registry)).toMatchObject({ attempts: 2 });
      }));

    test("what cannot be rebuilt from one delivery is rebuilt from another, until none is left", () =>
      withRegistry(async (registry) => {
        const { damage, find, retention } = registry.deliveries;
        const [older, newer] = [await built(registry), await built(registry, { created: at + 1 })];
        await damage.mark(first.sha256, at);
        const lost = { state: "failed", code: "part_lost", completed: at };
        for (const id of [newer, older]) {
          const { claim: held, delivery } = await claimed(registry);
          expect(delivery.id).toBe(id);
          expect(await damage.lose(held, id)).toBe(true);
          expect(await find(customer, id)).toMatchObject(lost);
        }
        expect(await damage.claim("w1", lease)).toBeUndefined();
        expect(await damage.isMarked(first.sha256)).toBe(true);
        await retention.purge();
        expect(await damage.isMarked(first.sha256)).toBe(false);
      }));

    test("what was pushed needs no part here, what is still to be pushed does", () =>
      withRegistry(async (registry) => {
        const { damage, queue, find } = registry.deliveries;
        const publishing = { lease, attempts: 3, task: "publish" } as const;
        const pushed = await built(registry, { mode: "push", destination: "d1" });
        await damage.mark(first.sha256, at);
        const { claim: held, delivery } = await claimed(registry);
        expect(delivery).toMatchObject({ id: pushed, state: "sealed" });
        const published = await claim(registry, publishing);
        await queue.commit(published, at);
        expect(await damage.lose(held, pushed)).toBe(false);
        await queue.complete(published, at);
        expect(await find(customer, pushed)).toMatchObject({ state: "complete" });
        expect(await damage.claim("w1", lease)).toBeUndefined();
      }));

    test("a manifest is marked by its hash, and written again", () =>
      withRegistry(async (registry) => {
        const { damage, manifest: read } = registry.deliveries;
        const id = await built(registry);
        await damage.mark(manifest.sha256, at);
        const found = await claimed(registry);
        expect(found).toMatchObject({ delivery: { id }, part: null });
        await damage.replaceManifest(found.claim, id, { ...manifest, signature: "another" });
        expect(await read(id)).toMatchObject({ ...manifest, signature: "another" });
        expect(await damage.isMarked(manifest.sha256)).toBe(false);
      }));

    test("a grant says that its part or its manifest is damaged", () =>
      withRegistry(async (registry) => {
        const { damage, grants } = registry.deliveries;
        const delivery = await built(registry);
        const given = { customer, apiKey: "01", delivery, scopeSha256: sha("5"), expires: at };
        const numbers = [0, first.number, second.number];
        for (const part of numbers) await grants.add({ ...given, part, digest: sha(`d${part}`) });
        const damaged = () =>
          Promise.all(numbers.map(async (part) => (await grants.find(sha(`d${part}`)))?.isDamaged));
        await damage.mark(second.sha256, at);
        expect(await damaged()).toEqual([false, false, true]);
        await damage.mark(manifest.sha256, at);
        expect(await damaged()).toEqual([true, false, true]);
      }));

    test("what a damaged delivery reads is kept from pruning", () =>
      withRegistry(async (registry) => {
        const { damage, retention } = registry.deliveries;
        await built(registry, { toCheckpoint: 7 });
        expect(await retention.earliestCheckpoint()).toBeUndefined();
        await damage.mark(first.sha256, at);
        expect(await retention.earliestCheckpoint()).toBe(7);
        await retention.expire(at + 14 * day);
        expect(await retention.earliestCheckpoint()).toBeUndefined();
      }));

    test("what was loaded before a part was lost may still be acknowledged", () =>
      withRegistry(async (registry) => {
        const { damage, acknowledge } = registry.deliveries;
        const id = await built(registry);
        await damage.mark(first.sha256, at);
        await damage.lose((await claimed(registry)).claim, id);
        const loaded = { generation: 1, sequence: 0, manifestSha256: manifest.sha256, reference: "r", at };
        expect(await acknowledge(customer, id, loaded)).toMatchObject({ first: true });
      }));

    test("parts of a delivery that is being built are rebuilt too", () =>
      withRegistry(async (registry) => {
        const { id } = await create(registry);
        await addPart(registry, await claim(registry), first);
        await registry.deliveries.damage.mark(first.sha256, at);
        expect(await claimed(registry)).toMatchObject({ delivery: { id, state: "building" }, part: first });
      }));
  });
}
