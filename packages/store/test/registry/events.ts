import { expect, test } from "vitest";
import {
  type AccessRegistry,
  type EventAppend,
  type RecordState,
  unknownHash,
} from "../../src/registry/index.ts";

const customer = "acme";

type WithRegistry = (
  use: (registry: AccessRegistry, again: () => Promise<AccessRegistry>) => Promise<void>,
) => Promise<void>;

const state = (key: string, hash: string | null, resource = "Property"): RecordState => ({
  resource,
  key,
  keyInAddress: key.includes(" ") ? encodeURIComponent(key) : null,
  hash,
});

const progress = { until: { checkpoint: 7, time: 70 }, viewId: "v", catalogVersion: 2, pass: null };

const appendOf = (states: readonly RecordState[], more: Partial<EventAppend> = {}): EventAppend => ({
  entitlementVersion: 1,
  revision: null,
  states,
  floor: 0,
  progress,
  ...more,
});

/** Returns the events of a customer, in the order of their numbers. */
const eventsIn = async ({ database: { knex } }: AccessRegistry) => {
  const rows = await knex("cadastre_event").where({ customer }).orderBy("number");
  return rows.map((row: Readonly<Record<string, unknown>>) => [
    Number(row["number"]),
    row["resource"],
    row["record_key"],
    row["hash"],
  ]);
};

/** Tests of the event logs of a registry, the same for each database. */
export function eventConformance(name: string, withRegistry: WithRegistry): void {
  test(`in ${name} a record has its last event, with a number that rises and is never given again`, () =>
    withRegistry(async (registry) => {
      const { events } = registry;
      expect(await events.find(customer)).toBeUndefined();
      expect(
        await events.append(customer, appendOf([state("a b", "1"), state("b", "1"), state("c", null)])),
      ).toBe(2);
      expect(await events.find(customer)).toEqual({ ...progress, revision: 1, last: 2 });
      expect(await eventsIn(registry)).toEqual([
        [1, "Property", "a b", "1"],
        [2, "Property", "b", "1"],
      ]);
      const pass = { ...progress, until: { checkpoint: 8, time: 80 }, pass: "{}" };
      const second = [state("b", "1"), state("a b", null), state("a b", "1", "Media")];
      expect(await events.append(customer, appendOf(second, { revision: 1, progress: pass }))).toBe(2);
      expect(await events.find(customer)).toEqual({ ...pass, revision: 2, last: 4 });
      expect(await eventsIn(registry)).toEqual([
        [2, "Property", "b", "1"],
        [3, "Property", "a b", null],
        [4, "Media", "a b", "1"],
      ]);
      expect(await events.append(customer, appendOf([], { revision: 2, floor: 2 ** 52 }))).toBe(0);
      expect(await events.append(customer, appendOf([state("b", "2")], { revision: 3, floor: 3 }))).toBe(1);
      expect(
        await events.append(customer, appendOf([state("b", "3")], { revision: 4, floor: 2 ** 52 })),
      ).toBe(1);
      expect((await eventsIn(registry)).at(-1)).toEqual([2 ** 52, "Property", "b", "3"]);
      expect((await events.find(customer))?.last).toBe(2 ** 52);
    }));

  test.each([
    ["alike", [state("a", unknownHash), state("b", unknownHash)]],
    [
      "of other resources, keys and hashes",
      [state("a b", unknownHash), state("c", "1", "Media"), state("d", "2")],
    ],
    ["alike but for the way that a key is written", [state("a b", "1"), state("c", "1")]],
  ])(`in ${name} events that are put together are stored whole: %s`, (_, states) =>
    withRegistry(async (registry) => {
      await registry.events.append(customer, appendOf(states));
      const rows = await registry.database
        .knex("cadastre_event")
        .orderBy("number")
        .select("resource", "record_key as key", "key_in_address as keyInAddress", "hash");
      expect(rows.map((row: object) => ({ ...row }))).toEqual(states);
    }),
  );

  test(`in ${name} values without a hash are other ones than those before, whatever they are compared with`, () =>
    withRegistry(async (registry) => {
      const { events } = registry;
      await events.append(customer, appendOf([state("a", "1"), state("b", "1")]));
      const unknown = [state("a", unknownHash), state("b", "1"), state("c", null)];
      expect(await events.append(customer, appendOf(unknown, { revision: 1 }))).toBe(1);
      expect(await events.append(customer, appendOf(unknown, { revision: 2 }))).toBe(1);
      expect(await events.append(customer, appendOf([state("a", "1")], { revision: 3 }))).toBe(1);
      expect(await events.append(customer, appendOf([state("a", null)], { revision: 4 }))).toBe(1);
      expect(await eventsIn(registry)).toEqual([
        [2, "Property", "b", "1"],
        [6, "Property", "a", null],
      ]);
    }));

  test(`in ${name} many events are added at once`, () =>
    withRegistry(async ({ events }) => {
      const states = Array.from({ length: 1600 }, (_, i) => state(String(i), "1"));
      expect(await events.append(customer, appendOf(states))).toBe(states.length);
      expect(await events.append(customer, appendOf(states, { revision: 1 }))).toBe(0);
    }));

  test(`in ${name} records that are not gone are listed by their last event`, () =>
    withRegistry(async ({ events }) => {
      const states = ["a", "b", "c", "d"].map((key) => state(key, key === "c" ? null : "1"));
      await events.append(customer, appendOf([...states, state("a", "1", "Media")]));
      expect(await events.shown(customer, "Property", { after: 0, limit: 2 })).toEqual([
        { number: 1, key: "a" },
        { number: 2, key: "b" },
      ]);
      expect(await events.shown(customer, "Property", { after: 2, limit: 2 })).toEqual([
        { number: 3, key: "d" },
      ]);
      expect(await events.shown("nobody", "Property", { after: 0, limit: 2 })).toEqual([]);
    }));

  test(`in ${name} one of several processes writes, and none under another entitlement`, () =>
    withRegistry(async (registry, again) => {
      const other = await again();
      const writes = [registry, other].flatMap(({ events }) =>
        ["a", "b", "c", "d"].map((key) => events.append(customer, appendOf([state(key, "1")]))),
      );
      expect((await Promise.all(writes)).filter((count) => count === 1)).toHaveLength(1);
      expect(await eventsIn(registry)).toHaveLength(1);
      const { events } = registry;
      const later = { revision: 1, entitlementVersion: 2 };
      expect(await events.append(customer, appendOf([state("x", "1")], later))).toBeUndefined();
      expect(await events.append(customer, appendOf([state("x", "1")], { revision: null }))).toBeUndefined();
      expect(await events.append("nobody", appendOf([state("x", "1")]))).toBeUndefined();
    }));

  test(`in ${name} the events of a customer go with the entitlement`, () =>
    withRegistry(async (registry) => {
      const { events, entitlements } = registry;
      await events.append(customer, appendOf([state("a", "1")]));
      await entitlements.remove(customer, 0);
      expect(await events.find(customer)).toBeUndefined();
      expect(await eventsIn(registry)).toEqual([]);
    }));
}
