import { describe, expect, test } from "vitest";
import {
  type AccessRegistry,
  isInForce,
  type NewApiKey,
  type RegistryAudit,
} from "../../src/registry/index.ts";
import { newRegistries } from "../../src/testing/new-registry.ts";
import { eventConformance } from "./events.ts";

const at = Date.UTC(2026, 0, 1);
const week = 7 * 86_400_000;
const customer = "acme";
const digestOf = (name: string) => name.padEnd(64, "0");
const newKey = (name: string, more: Partial<NewApiKey> = {}): NewApiKey => ({
  customer,
  prefix: `cadastre_${name}`,
  digest: digestOf(name),
  pepper: 1,
  expires: null,
  ...more,
});

/** Opens the registry of a name, which is made if it does not exist. */
type Open = (name: string) => Promise<AccessRegistry>;

/** Opens the registry of a name for auditing. */
type OpenAudit = (name: string) => Promise<RegistryAudit>;

/** Tests of a registry, the same for each database. */
export function conformance(name: string, open: Open, openAudit: OpenAudit): void {
  const withRegistry = newRegistries(open, customer, at);
  eventConformance(name, withRegistry);

  test(`an audit in ${name} reads all of a registry, as of the moment at which it was opened`, async () => {
    const registry = await open("audited");
    const { entitlements, keys, guards } = registry;
    const names = Array.from({ length: 1100 }, (_, i) => `customer ${String(i).padStart(4, "0")}`);
    for (const one of names)
      await entitlements.install({ customer: one, version: 2 ** 40, jws: one, installed: 0 });
    const own = { customer: "customer 0001", expires: at + week };
    await keys.add(newKey("a", own), at);
    await guards.notePeppers([{ version: 1, checkValue: "c" }]);
    await registry.sealed.add("secrets", "sealed");
    await guards.fingerprint("parts", "place");
    const id = await guards.id();
    const audit = await openAudit("audited");
    await keys.add(newKey("b", own), at);
    const found: unknown[] = [];
    for await (const { customer: one, version, jws } of audit.entitlements()) {
      found.push(one);
      // Other statements may run meanwhile.
      if (found.length === 1) expect([await audit.id(), version, jws]).toEqual([id, 2 ** 40, one]);
    }
    expect(found).toEqual(names);
    expect(await audit.peppers(at)).toEqual([{ version: 1, keys: 1 }]);
    expect(await audit.peppers(at + week)).toEqual([]);
    expect(await audit.pepperChecks()).toEqual([{ version: 1, checkValue: "c" }]);
    expect(await audit.sealedDocuments()).toEqual(["secrets"]);
    expect([await audit.fingerprint("parts"), await audit.fingerprint("x")]).toEqual(["place", undefined]);
    expect(await audit.customerOfKey(digestOf("a"), at)).toBe("customer 0001");
    expect(await audit.customerOfKey(digestOf("b"), at)).toBeUndefined();
    expect(await audit.prepare("cadastre_none", "select 1 from cadastre_none").first()).toBeUndefined();
    await audit.close();
    await registry.close();
  });

  test(`the id of a registry in ${name} is one for all processes, and another one for another registry`, () =>
    withRegistry(async ({ guards }, again) => {
      const other = await again();
      const ids = await Promise.all([guards.id(), other.guards.id(), guards.id()]);
      expect(new Set(ids).size).toBe(1);
      await withRegistry(async (another) => expect(ids).not.toContain(await another.guards.id()));
    }));

  test(`a fingerprint in ${name} is the first that a process recorded, until it is replaced`, () =>
    withRegistry(async ({ guards }, again) => {
      const other = await again();
      const recorded = await Promise.all(
        [guards, other.guards].map((one, i) => one.fingerprint("parts", String(i))),
      );
      expect(new Set(recorded).size).toBe(1);
      expect(await guards.fingerprint("keys", "k")).toBe("k");
      await other.guards.replaceFingerprint("parts", "another");
      expect(await guards.fingerprint("parts", "ignored")).toBe("another");
    }));

  test(`of several processes in ${name} one adds a sealed document, and one replaces a revision of it`, () =>
    withRegistry(async ({ sealed }, again) => {
      const other = await again();
      expect([await sealed.find("a"), await sealed.revision("a")]).toEqual([undefined, undefined]);
      await Promise.all([sealed.add("a", "first"), other.sealed.add("a", "second")]);
      const added = await other.sealed.find("a");
      expect(added?.revision).toBe(1);
      await sealed.add("a", "late");
      expect(await sealed.find("a")).toEqual(added);
      const replaced = await Promise.all([sealed.replace("a", "x", 1), other.sealed.replace("a", "y", 1)]);
      expect(replaced.filter(Boolean)).toHaveLength(1);
      expect(await other.sealed.find("a")).toEqual({ sealed: replaced[0] ? "x" : "y", revision: 2 });
      expect([await sealed.revision("a"), await sealed.replace("b", "x", 1)]).toEqual([2, false]);
    }));

  describe(`API keys in ${name}`, () => {
    test("a key is found by its digest, by another process too", () =>
      withRegistry(async ({ keys }, again) => {
        const added = await keys.add(newKey("a", { expires: at + week }), at);
        expect(added).toMatchObject({ ...newKey("a"), created: at, expires: at + week, revoked: null });
        expect(added.id).toMatch(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
        const other = await again();
        expect(await other.keys.find([digestOf("x"), digestOf("a")])).toEqual(added);
        expect(await other.keys.find([digestOf("x")])).toBeUndefined();
        expect(await other.keys.find([])).toBeUndefined();
      }));

    test("keys are listed by customer, the oldest of each first", () =>
      withRegistry(async ({ keys, entitlements }) => {
        await entitlements.install({ customer: "zeta", version: 1, jws: "z", installed: at });
        const zeta = await keys.add(newKey("z", { customer: "zeta" }), at);
        const later = await keys.add(newKey("b"), at + 1);
        const earlier = await keys.add(newKey("a"), at);
        expect(await keys.list()).toEqual([earlier, later, zeta]);
        expect(await keys.list("zeta")).toEqual([zeta]);
        expect(await keys.list("nobody")).toEqual([]);
      }));

    test("a customer without an entitlement gets no key", () =>
      withRegistry(async ({ keys }) => {
        const adding = keys.add(newKey("a", { customer: "nobody" }), at);
        await expect(adding).rejects.toMatchObject({ code: "unknown_customer" });
        expect(await keys.list()).toEqual([]);
      }));

    test("a third live key is refused, and the refusal names the two", () =>
      withRegistry(async ({ keys }) => {
        const first = await keys.add(newKey("a"), at);
        const second = await keys.add(newKey("b", { expires: at + week }), at + 1);
        const third = keys.add(newKey("c"), at);
        await expect(third).rejects.toMatchObject({ code: "too_many_keys" });
        await expect(third).rejects.toThrow(new RegExp(`${first.id}.*${second.id}`));
        const rotated = keys.rotate(first.id, newKey("c"), { at, end: at });
        await expect(rotated).rejects.toMatchObject({ code: "too_many_keys" });
        expect(await keys.list()).toEqual([first, second]);
        // What has expired makes room, and so does what is revoked.
        await keys.add(newKey("c"), at + week);
        await keys.revoke(first.id, at);
        await keys.add(newKey("d"), at + week);
        expect(await keys.list()).toHaveLength(4);
      }));

    test("of many that are made at once, in two processes, two are", () =>
      withRegistry(async ({ keys }, again) => {
        const other = await again();
        const made = await Promise.allSettled(
          Array.from({ length: 8 }, (_, i) => (i % 2 ? keys : other.keys).add(newKey(`k${i}`), at)),
        );
        const refused = made.filter((one) => one.status === "rejected");
        expect(refused.map(({ reason }) => (reason as { code: unknown }).code)).toEqual(
          Array.from({ length: 6 }, () => "too_many_keys"),
        );
        expect(await keys.list()).toHaveLength(2);
      }));

    test("a rotation adds a key and sets the end of the other, never later than it was", () =>
      withRegistry(async ({ keys }) => {
        const { id } = await keys.add(newKey("a"), at);
        const { added, ending } = await keys.rotate(id, newKey("b"), { at: at + 1, end: at + week });
        expect(ending).toMatchObject({ id, expires: at + week });
        expect(added).toMatchObject({ customer, digest: digestOf("b"), expires: null });
        expect(await keys.list()).toEqual([ending, added]);
        expect([at + week - 1, at + week].map((time) => isInForce(ending, time))).toEqual([true, false]);
        await keys.revoke(added.id, at);
        const sooner = await keys.rotate(id, newKey("c"), { at, end: at + 2 * week });
        expect(sooner.ending.expires).toBe(at + week);
      }));

    test("a key that is not in force is not rotated", () =>
      withRegistry(async ({ keys }) => {
        const { id } = await keys.add(newKey("a", { expires: at + 1 }), at);
        const late = keys.rotate(id, newKey("b"), { at: at + 1, end: at + week });
        await expect(late).rejects.toMatchObject({ code: "key_not_in_force" });
        const unknown = keys.rotate("no such", newKey("b"), { at, end: at + week });
        await expect(unknown).rejects.toMatchObject({ code: "unknown_key" });
        expect(await keys.list()).toHaveLength(1);
      }));

    test("a key is revoked once", () =>
      withRegistry(async ({ keys }) => {
        const { id } = await keys.add(newKey("a"), at);
        expect(await keys.revoke(id, at + 1)).toMatchObject({ id, revoked: at + 1 });
        expect(await keys.revoke(id, at + 2)).toMatchObject({ id, revoked: at + 1 });
        await expect(keys.revoke("no such", at)).rejects.toMatchObject({ code: "unknown_key" });
      }));

    test("a use is noted, and moves the key to a later pepper, never back", () =>
      withRegistry(async ({ keys }) => {
        const { id } = await keys.add(newKey("a"), at);
        await keys.noteUse(id, { at: at + 1, digest: digestOf("a2"), pepper: 2 });
        expect(await keys.find([digestOf("a")])).toBeUndefined();
        expect(await keys.find([digestOf("a2")])).toMatchObject({ id, pepper: 2, lastUsed: at + 1 });
        await keys.noteUse(id, { at: at + 2, digest: digestOf("a"), pepper: 1 });
        expect(await keys.find([digestOf("a2")])).toMatchObject({ pepper: 2, lastUsed: at + 1 });
      }));
  });

  describe(`entitlements in ${name}`, () => {
    const next = { customer, version: 2, jws: "d.e.f", installed: at + 1 };

    test("one that is removed is gone, with its customer's right to keys, and none of its versions comes back", () =>
      withRegistry(async ({ entitlements, keys }, again) => {
        const other = await again();
        expect(await other.entitlements.removedAt(customer)).toBeUndefined();
        expect(await entitlements.remove(customer, at)).toBe(true);
        expect(await other.entitlements.removedAt(customer)).toBe(at);
        expect(await other.entitlements.removedAt("nobody")).toBeUndefined();
        expect(await other.entitlements.find(customer)).toBeUndefined();
        expect(await other.entitlements.list()).toEqual([]);
        expect(await other.entitlements.lastVersion(customer)).toBe(2);
        expect([await entitlements.remove(customer, at), await entitlements.remove("nobody", at)]).toEqual([
          false,
          false,
        ]);
        await expect(keys.add(newKey("removed"), at)).rejects.toMatchObject({ code: "unknown_customer" });
        for (const version of [1, 2]) {
          const again = entitlements.install({ ...next, version });
          await expect(again).rejects.toMatchObject({
            code: expect.stringMatching(/^entitlement_/) as string,
          });
        }
        expect(await entitlements.install({ ...next, version: 3 })).toBe(true);
        expect(await other.entitlements.removedAt(customer)).toBeUndefined();
        expect(await entitlements.lastVersion(customer)).toBe(3);
        expect(await entitlements.lastVersion("nobody")).toBe(0);
        expect((await keys.add(newKey("returned"), at)).customer).toBe(customer);
      }));

    test("a higher version takes over", () =>
      withRegistry(async ({ entitlements }, again) => {
        const other = await again();
        expect(await entitlements.install(next)).toBe(true);
        expect(await other.entitlements.find(customer)).toEqual(next);
        expect(await other.entitlements.find("nobody")).toBeUndefined();
        expect(await other.entitlements.list()).toEqual([next]);
      }));

    test("a lower version is refused, and so is another document of the same one", () =>
      withRegistry(async ({ entitlements }) => {
        await entitlements.install(next);
        const older = entitlements.install({ ...next, version: 1, jws: "a.b.c" });
        await expect(older).rejects.toMatchObject({ code: "entitlement_older" });
        const other = entitlements.install({ ...next, jws: "g.h.i" });
        await expect(other).rejects.toMatchObject({ code: "entitlement_conflict" });
        expect(await entitlements.install({ ...next, installed: at + 9 })).toBe(false);
        expect(await entitlements.find(customer)).toEqual(next);
      }));

    test("of many that are installed at once the highest stays", () =>
      withRegistry(async ({ entitlements }, again) => {
        const other = await again();
        const versions = [5, 3, 9, 2, 7, 8];
        await Promise.allSettled(
          versions.map((version, i) =>
            (i % 2 ? entitlements : other.entitlements).install({ ...next, version, jws: String(version) }),
          ),
        );
        expect(await entitlements.find(customer)).toMatchObject({ version: 9, jws: "9" });
      }));
  });

  describe(`identities in ${name}`, () => {
    const [one, other] = ["prov:01", "prov:02"];
    const [home, tower] = ["222-222@5vg-82n-kzz", "223-223@5vg-82n-kzz"];
    const edgesOf = async ({ identities }: AccessRegistry) =>
      (await identities.resolutions()).map(({ id, placekey }) => `${id} ${placekey}`);

    test("an id is resolved, again to the same, and to another", () =>
      withRegistry(async (registry, again) => {
        const { identities } = registry;
        const resolution = { id: one, placekey: home, resolved: at };
        expect(await identities.resolve(one, home, at)).toEqual(resolution);
        expect(await identities.resolve(one, home, at + 1)).toEqual(resolution);
        expect(await (await again()).identities.resolutions()).toEqual([resolution]);
        expect(await identities.resolve(one, tower, at + 1)).toMatchObject({ resolved: at + 1 });
        expect(await edgesOf(registry)).toEqual([`${one} ${tower}`]);
      }));

    test("several ids come together, and part again", () =>
      withRegistry(async (registry) => {
        const { identities } = registry;
        await identities.resolve(other, home, at);
        await identities.resolve(one, home, at);
        await identities.resolve(home, tower, at);
        expect(await edgesOf(registry)).toEqual([`${home} ${tower}`, `${one} ${home}`, `${other} ${home}`]);
        expect(await identities.release(home)).toBe(true);
        expect(await identities.release(home)).toBe(false);
        expect(await edgesOf(registry)).toEqual([`${one} ${home}`, `${other} ${home}`]);
      }));

    test("an id never answers as itself, whoever resolves it at once", () =>
      withRegistry(async (registry, again) => {
        const { identities } = registry;
        const itself = identities.resolve(home, home, at);
        await expect(itself).rejects.toMatchObject({ code: "identity_circle" });
        await identities.resolve(home, tower, at);
        const circle = identities.resolve(tower, home, at);
        await expect(circle).rejects.toMatchObject({ code: "identity_circle" });
        await identities.release(home);
        const both = await Promise.allSettled([
          identities.resolve(home, tower, at),
          (await again()).identities.resolve(tower, home, at),
        ]);
        expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
        expect(await edgesOf(registry)).toHaveLength(1);
      }));

    test("the revision rises with every change", () =>
      withRegistry(async ({ identities }) => {
        const revisions = [await identities.revision()];
        await identities.resolve(one, home, at);
        revisions.push(await identities.revision());
        await identities.release(one);
        revisions.push(await identities.revision());
        expect(revisions).toEqual([0, 1, 2]);
      }));

    test("a crosswalk gives listings of a source their Placekeys, and takes them back", () =>
      withRegistry(async ({ identities }, again) => {
        const many = Array.from({ length: 1200 }, (_, i) => ({ listing: `l${i}`, placekey: home }));
        await identities.assign("mls", [...many, { listing: "l7", placekey: tower }]);
        await identities.assign("mls", [
          { listing: "l8", placekey: tower },
          { listing: "l8", placekey: null },
          { listing: "l9", placekey: null },
        ]);
        const other = (await again()).identities;
        const listings = many.map(({ listing }) => listing);
        const found = await other.assigned("mls", [...listings, "none"]);
        expect(found.size).toBe(1198);
        expect([found.get("l6"), found.get("l7"), found.get("l8"), found.get("l9")]).toEqual([
          home,
          tower,
          undefined,
          undefined,
        ]);
        expect(await other.assigned("another", ["l6"])).toEqual(new Map());
        expect(await other.assigned("mls", [])).toEqual(new Map());
      }));
  });

  describe(`profiles in ${name}`, () => {
    const profile = {
      datasetId: "9f0c6c0e-5a1b-4d57-8a35-3f8e1c2b7d10",
      displayName: "Lone Star",
      fullName: "Lone Star Multiple Listing Service",
      disclaimer: 'Deemed reliable, "not" guaranteed.',
      logoUrl: "https://mls.example/logo.svg",
      rulesUrl: "https://mls.example/rules",
      updateHours: 12,
      approved: at,
    };

    test("a profile is kept, and replaced as a whole", () =>
      withRegistry(async ({ profiles }, again) => {
        await profiles.set(profile);
        const other = (await again()).profiles;
        expect(await other.find(profile.datasetId)).toEqual(profile);
        expect(await other.find("another")).toBeUndefined();
        const draft = { ...profile, updateHours: 24, approved: null };
        await profiles.set(draft);
        await profiles.set({ ...profile, datasetId: "0" });
        expect(await other.list()).toEqual([{ ...profile, datasetId: "0" }, draft]);
      }));
  });

  describe(`feeds in ${name}`, () => {
    const terms = { worker: "a", lease: 1000 };
    const counts = { read: 3, staged: 2, rejected: 1 };

    test("a feed is kept once, changed, paused and removed", () =>
      withRegistry(async ({ feeds }, again) => {
        expect(await feeds.add("a", "{}", at)).toBe(true);
        expect(await feeds.add("a", "{}", at)).toBe(false);
        const other = (await again()).feeds;
        expect(await other.find("a")).toMatchObject({
          definition: "{}",
          due: at,
          paused: false,
          failures: 0,
        });
        expect([await other.change("a", "[]", at + 1), await other.change("b", "[]", at)]).toEqual([
          true,
          false,
        ]);
        expect([await other.pause("a", true, at), await other.pause("b", true, at)]).toEqual([true, false]);
        expect(await feeds.claim(at + 5, terms)).toBeUndefined();
        expect(await feeds.list()).toMatchObject([
          { name: "a", definition: "[]", paused: true, due: at + 1 },
        ]);
        expect([await feeds.remove("a"), await feeds.remove("a")]).toEqual([true, false]);
      }));

    test("of several processes one leases a due feed, and after the lease another one takes over", () =>
      withRegistry(async ({ feeds }, again) => {
        await feeds.add("a", "{}", at);
        const other = (await again()).feeds;
        const both = await Promise.all([feeds, other].map((one) => one.claim(at, terms)));
        const [lease, none] = both[0] === undefined ? both.toReversed() : both;
        if (lease === undefined) throw new RangeError("none has the feed");
        expect(none).toBeUndefined();
        expect(await other.claim(at + 999, { ...terms, name: "a" })).toBeUndefined();
        expect(await feeds.renew(lease, at + 2000)).toBe(true);
        expect(await other.claim(at + 1000, terms)).toBeUndefined();
        const second = await other.claim(at + 2000, terms);
        const outcome = { at, due: at + 9, error: null, counts, modified: at };
        // What the first one writes is ignored.
        expect(await feeds.renew(lease, at + 9000)).toBe(false);
        expect(await feeds.advance(lease, "{}")).toBe(false);
        expect(await feeds.settle(lease, outcome)).toBe(false);
        expect(await feeds.release(lease, at)).toBe(false);
        if (second === undefined) throw new RangeError("none took over");
        expect(await other.advance(second, '{"files":{}}')).toBe(true);
        expect(await other.settle(second, { ...outcome, error: "no answer", modified: null })).toBe(true);
        expect(await feeds.find("a")).toMatchObject({
          failures: 1,
          lastError: "no answer",
          lastSuccess: null,
          leased: 0,
          due: at + 9,
          counts,
          progress: '{"files":{}}',
        });
        expect(await other.settle(second, outcome)).toBe(false);
      }));

    test("a feed that is changed during a run stays due", () =>
      withRegistry(async ({ feeds }) => {
        await feeds.add("a", "{}", at);
        const lease = await feeds.claim(at, terms);
        await feeds.change("a", "[]", at + 1);
        if (lease === undefined) throw new RangeError("no lease");
        await feeds.settle(lease, { at, due: at + week, error: null, counts, modified: at });
        expect(await feeds.find("a")).toMatchObject({
          due: at + 1,
          lastSuccess: at,
          modified: at,
          failures: 0,
        });
      }));
  });

  test(`workers in ${name} are known by their heartbeats, for an hour after the last`, async () => {
    const { workers, database, close } = await open("workers");
    const found = async () => {
      const audit = await openAudit("workers");
      const all = await audit.workers();
      await audit.close();
      return all;
    };
    const worker = {
      id: "1",
      name: "a:7",
      host: "a",
      process: 7,
      work: ["deliveries", "feeds"],
      release: "1.0.0",
    };
    await workers.beat(worker);
    const [first] = await found();
    expect(first).toMatchObject(worker);
    const back = (milliseconds: number) =>
      database.knex("cadastre_worker").decrement("seen", milliseconds).where({ id: "1" });
    await back(60_000);
    expect((await found())[0]?.silence).toBeGreaterThanOrEqual(60_000);
    await workers.beat(worker);
    expect(await found()).toEqual([{ ...first, silence: expect.any(Number) as number }]);
    expect((await found())[0]?.silence).toBeLessThan(30_000);
    await back(3_700_000);
    await workers.beat({ ...worker, id: "2" });
    expect((await found()).map(({ id }) => id)).toEqual(["2"]);
    const silence = expect.any(Number) as number;
    expect(await workers.list()).toEqual((await found()).map((one) => ({ ...one, silence })));
    await workers.remove("2");
    expect(await found()).toEqual([]);
    await close();
  });

  test(`processes that open a new registry in ${name} at once do not meet`, async () => {
    const own = "opened_at_once";
    const registries = await Promise.all(Array.from({ length: 4 }, () => open(own)));
    for (const { keys } of registries) expect(await keys.list()).toEqual([]);
    for (const { close } of registries) await close();
  });
}
