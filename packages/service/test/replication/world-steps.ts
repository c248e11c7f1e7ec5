import type { StoredRecord } from "@cadastre/store";
import fc from "fast-check";
import type { World } from "../interference/projection.ts";
import { keys, type ResourceName, resourceNames } from "../interference/universe.ts";
import { after, changes, identityOf, located, recordOf } from "../interference/worlds.ts";

/** Makes a world of another one. */
export type WorldStep = (world: World) => World;

/** A change of one record: it is removed, replaced, or has other values in some fields. */
type RecordChange = {
  readonly drawn: StoredRecord;
  readonly takes: "nothing" | "everything" | "fields";
  /** Positions of the fields, beyond the last one again from the first one on. */
  readonly fields: readonly number[];
};

/** The records of all sets that can be queried, each an arbitrary of its values. */
const records = resourceNames.flatMap((resource) => keys[resource].map((key) => recordOf(resource, key)));

const recordChange: fc.Arbitrary<RecordChange> = fc.record({
  drawn: fc.oneof(...records),
  takes: fc.constantFrom("fields", "fields", "fields", "everything", "nothing"),
  // Few, because a change that is not shown is told only if no other one is made.
  fields: fc.array(fc.nat(1000), { minLength: 1, maxLength: 3 }),
});

function changed(world: World, { drawn, takes, fields }: RecordChange): World {
  const identity = identityOf(drawn);
  const others = world.filter((row) => identityOf(row) !== identity);
  if (takes === "nothing") return others;
  const present = world.find((row) => identityOf(row) === identity);
  if (present === undefined || takes === "everything") return [...others, drawn];
  const [, ...names] = Object.keys(drawn.record);
  const taken = fields.map((at) => names[at % names.length] ?? "");
  const values = Object.fromEntries(taken.map((name) => [name, drawn.record[name] ?? null]));
  const record = { ...present.record, ...values };
  return [...others, { ...present, record: drawn.resource === "Property" ? located(record) : record }];
}

const fewChanges: fc.Arbitrary<WorldStep> = fc
  .array(recordChange, { minLength: 1, maxLength: 4 })
  .map((list) => (world) => list.reduce(changed, world));

const isQueried = ({ resource }: StoredRecord) => resourceNames.includes(resource as ResourceName);

const manyChanges: fc.Arbitrary<WorldStep> = changes.map(
  (change) => (world) => after(world, change).filter(isQueried),
);

/** Commits. Most change few records: that is cheap, and one change seldom hides what is wrong with another one. */
export const worldSteps: fc.Arbitrary<WorldStep> = fc.oneof(
  { weight: 12, arbitrary: fewChanges },
  { weight: 1, arbitrary: manyChanges },
);

/** Worlds with half of the records of all sets that can be queried. */
export const queriedWorlds: fc.Arbitrary<World> = fc
  .tuple(...records.map((record) => fc.option(record, { freq: 1, nil: null })))
  .map((rows) => rows.filter((row) => row !== null));
