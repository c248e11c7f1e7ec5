import { describe, expect, test } from "vitest";
import type { NewDestination } from "../../src/destinations/destination.ts";
import type { Destination } from "../../src/index.ts";
import type { TestRegistry } from "../../src/testing/registry.ts";
import { newDestination } from "../support/new-destination.ts";
import { at, codeOf, customer, type WithRegistry } from "../support/tables.ts";

const good = { at: at + 9, failure: null };
const bad = { at: at + 9, failure: "role_denied" };

/** Bring a destination to being active. */
async function activate({ destinations }: TestRegistry, { id }: NewDestination): Promise<Destination> {
  expect(await destinations.note(await destinations.beginVerification(customer, id), good)).toBe(true);
  return (await destinations.find(customer, id)) as Destination;
}

/** Tests that a registry of destinations must pass, for every database. */
export function destinationConformance(name: string, withRegistry: WithRegistry): void {
  describe(`destinations in ${name}`, () => {
    test("a place is reserved, and found by its customer alone", () =>
      withRegistry(async ({ destinations, entitlements }, again) => {
        await entitlements.install({ customer: "other", version: 1, jws: "a", installed: at });
        const kmsKeyArn = "arn:aws:kms:us-west-2:111122223333:key/1";
        const { secret, ...wanted } = newDestination({ kmsKeyArn });
        const reserved = {
          ...wanted,
          state: "reserved",
          failure: null,
          verified: null,
          pointerDenied: null,
          round: 0,
        };
        expect(await destinations.reserve({ ...wanted, secret })).toEqual(reserved);
        const other = (await again()).destinations;
        expect(await other.find(customer, wanted.id)).toEqual(reserved);
        expect(await other.secret(customer, wanted.id)).toBe("sealed");
        expect(await other.find("other", wanted.id)).toBeUndefined();
        expect(await other.secret("other", wanted.id)).toBeUndefined();
        expect(await other.list("other")).toEqual([]);
        for (const change of [other.beginVerification, other.rotate, other.disable])
          expect(await codeOf(change("other", wanted.id))).toBe("not_found");
        expect(await codeOf(destinations.reserve(newDestination({ customer: "nobody" })))).toBe(
          "unknown_customer",
        );
      }));

    test("what waits to be verified is claimed by one, and again if nothing is noted", () =>
      withRegistry(async ({ destinations }, again) => {
        const other = (await again()).destinations;
        const [first, second] = [newDestination({ due: at + 20 }), newDestination({ prefix: "later" })];
        for (const one of [first, second]) await destinations.reserve(one);
        expect(await destinations.claimVerification(at + 10, 100)).toBeUndefined();
        await other.requestVerification(customer, second.id, at + 10);
        const claims = await Promise.all(
          [destinations, other, destinations].map((one) => one.claimVerification(at + 10, 100)),
        );
        const [claimed, ...more] = claims.filter((one) => one !== undefined);
        expect(more).toEqual([]);
        expect(claimed).toMatchObject({ id: second.id, state: "verifying" });
        expect(await destinations.claimVerification(at + 20, 100)).toMatchObject({ id: first.id });
        const late = await other.claimVerification(at + 110, 100);
        expect(late?.id).toBe(second.id);
        expect(claimed && (await destinations.note(claimed, bad))).toBe(false);
        expect(late && (await destinations.note(late, { ...bad, again: at + 500 }))).toBe(true);
        expect(await destinations.claimVerification(at + 499, 100)).toMatchObject({ id: first.id });
        const later = await destinations.claimVerification(at + 500, 100);
        expect(later).toMatchObject({ id: second.id, state: "verifying", failure: "role_denied" });
        expect(later && (await destinations.note(later, good))).toBe(true);
        await destinations.disable(customer, first.id);
        expect(await destinations.claimVerification(at + 9e9, 100)).toBeUndefined();
        await destinations.requestVerification(customer, second.id, at);
        expect(await destinations.find(customer, second.id)).toMatchObject({ state: "active" });
        expect(await codeOf(destinations.requestVerification(customer, first.id, at))).toBe(
          "destination_state",
        );
      }));

    test("a customer has so many destinations that are not disabled", () =>
      withRegistry(async ({ destinations }) => {
        const [one, two] = [newDestination(), newDestination({ prefix: "two" })];
        await destinations.reserve(one, 1);
        expect(await codeOf(destinations.reserve(two, 1))).toBe("too_many_destinations");
        await destinations.disable(customer, one.id);
        await destinations.reserve(two, 1);
      }));

    test("a list has the oldest first", () =>
      withRegistry(async ({ destinations }) => {
        const [late, early] = [newDestination({ created: at + 2e6 }), newDestination({ bucket: "another" })];
        for (const one of [late, early]) await destinations.reserve(one);
        expect((await destinations.list(customer)).map(({ id }) => id)).toEqual([early.id, late.id]);
      }));

    test.each([
      ["a/b", "a/b", true],
      ["a/b", "a", true],
      ["a", "a/b", true],
      ["a/b", "a/bc", false],
      ["a/b", "b", false],
    ])("%s being in use, %s is refused to another customer: %s", (first, second, refused) =>
      withRegistry(async ({ destinations, entitlements }) => {
        await entitlements.install({ customer: "other", version: 1, jws: "a", installed: at });
        await destinations.reserve(newDestination({ prefix: first }));
        const reserving = destinations.reserve(newDestination({ prefix: second, customer: "other" }));
        if (refused) {
          await expect(reserving).rejects.toMatchObject({ code: "destination_exists" });
          await expect(reserving).rejects.not.toThrow(/acme|a\/b/);
        } else expect(await codeOf(reserving)).toBe("done");
        const elsewhere = newDestination({ prefix: second, bucket: "other-exports" });
        expect(await codeOf(destinations.reserve(elsewhere))).toBe("done");
      }),
    );

    test("of many that reserve a place at once, in two processes, one does", () =>
      withRegistry(async ({ destinations, entitlements }, again) => {
        const customers = Array.from({ length: 8 }, (_, i) => `c${i}`);
        for (const one of customers)
          await entitlements.install({ customer: one, version: 1, jws: "a", installed: at });
        const other = (await again()).destinations;
        const codes = await Promise.all(
          customers.map((one, i) =>
            codeOf((i % 2 ? destinations : other).reserve(newDestination({ customer: one }))),
          ),
        );
        expect(codes.filter((code) => code === "done")).toHaveLength(1);
        expect(codes.filter((code) => code === "destination_exists")).toHaveLength(7);
      }));

    test("one that is found as it must be is active, one that is not is degraded", () =>
      withRegistry(async (registry) => {
        const { destinations } = registry;
        const wanted = newDestination();
        await destinations.reserve(wanted);
        const active = await activate(registry, wanted);
        expect(active).toMatchObject({ state: "active", verified: good.at, failure: null });
        expect(await destinations.note(active, bad)).toBe(true);
        const degraded = { state: "degraded", failure: "role_denied", verified: good.at };
        expect(await destinations.find(customer, wanted.id)).toMatchObject(degraded);
        // Only a verification makes it active again.
        expect(await destinations.note(active, good)).toBe(false);
        expect(await activate(registry, wanted)).toMatchObject({ state: "active", failure: null });
      }));

    test("a denied pointer has the time at which it was first found, until it is written again", () =>
      withRegistry(async (registry) => {
        const { destinations, operations } = registry;
        const wanted = newDestination();
        await destinations.reserve(wanted);
        await activate(registry, wanted);
        const { id } = wanted;
        const since = async () => (await destinations.find(customer, id))?.pointerDenied;
        const counted = async () => (await operations.figures(1)).pointersDenied;
        expect([await since(), await counted()]).toEqual([null, 0]);
        expect(await destinations.notePointer(id, false, at + 1)).toBe(false);
        expect(await destinations.notePointer(id, true, at + 2)).toBe(true);
        expect(await destinations.notePointer(id, true, at + 3)).toBe(false);
        expect([await since(), await counted()]).toEqual([at + 2, 1]);
        const verify = async (isPointerDenied: boolean | undefined) => {
          const round = await destinations.beginVerification(customer, id);
          await destinations.note(round, { ...good, isPointerDenied });
          return since();
        };
        expect(await verify(undefined)).toBe(at + 2);
        expect(await verify(true)).toBe(at + 2);
        expect(await verify(false)).toBeNull();
        expect(await verify(true)).toBe(good.at);
        expect(await destinations.notePointer(id, false, at + 20)).toBe(true);
        expect(await since()).toBeNull();
        await destinations.disable(customer, id);
        expect(await destinations.notePointer(id, true, at + 30)).toBe(false);
        expect(await counted()).toBe(0);
      }));

    test("one that is verified again stays active meanwhile, and if it fails is so no more", () =>
      withRegistry(async (registry) => {
        const { destinations } = registry;
        const wanted = newDestination();
        await destinations.reserve(wanted);
        await activate(registry, wanted);
        const again = await destinations.beginVerification(customer, wanted.id);
        expect(again.state).toBe("active");
        expect(await destinations.note(again, bad)).toBe(true);
        expect(await destinations.find(customer, wanted.id)).toMatchObject({ state: "degraded" });
      }));

    test("what an earlier round has found out is not noted", () =>
      withRegistry(async ({ destinations }) => {
        const { id } = newDestination();
        await destinations.reserve(newDestination({ id }));
        const first = await destinations.beginVerification(customer, id);
        const second = await destinations.beginVerification(customer, id);
        expect(await destinations.note(first, good)).toBe(false);
        await destinations.rotate(customer, id);
        await destinations.reissue(customer, id, { secret: "sealed anew" });
        expect(await destinations.note(second, good)).toBe(false);
        expect(await destinations.find(customer, id)).toMatchObject({ state: "reserved", verified: null });
      }));

    test("one that is rotated has no external id until it is given a new one", () =>
      withRegistry(async (registry) => {
        const { destinations } = registry;
        const wanted = newDestination();
        await destinations.reserve(wanted);
        const active = await activate(registry, wanted);
        expect(await codeOf(destinations.reissue(customer, wanted.id, { secret: "x" }))).toBe(
          "destination_state",
        );
        for (let i = 0; i < 2; i++)
          expect(await destinations.rotate(customer, wanted.id)).toMatchObject({ state: "rotating" });
        expect(await destinations.secret(customer, wanted.id)).toBeUndefined();
        expect(await destinations.note(active, bad)).toBe(false);
        expect(await codeOf(destinations.beginVerification(customer, wanted.id))).toBe("destination_state");
        await destinations.reissue(customer, wanted.id, { secret: "sealed anew" });
        expect(await destinations.secret(customer, wanted.id)).toBe("sealed anew");
        expect(await activate(registry, wanted)).toMatchObject({ state: "active" });
      }));

    test("one that is disabled stays so, and its place is free", () =>
      withRegistry(async ({ destinations }) => {
        const wanted = newDestination();
        await destinations.reserve(wanted);
        for (let i = 0; i < 2; i++)
          expect(await destinations.disable(customer, wanted.id)).toMatchObject({ state: "disabled" });
        expect(await destinations.secret(customer, wanted.id)).toBeUndefined();
        for (const change of [destinations.beginVerification, destinations.rotate])
          expect(await codeOf(change(customer, wanted.id))).toBe("destination_state");
        expect(await codeOf(destinations.reserve(newDestination()))).toBe("done");
      }));
  });
}
