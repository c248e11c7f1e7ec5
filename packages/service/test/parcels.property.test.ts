import { sampleCatalog } from "@cadastre/sample/catalog";
import type { Candidate } from "@cadastre/store";
import fc from "fast-check";
import { expect, test } from "vitest";
import { parcelIdentityBy } from "../src/gates/parcels.ts";

const { entitySet } = sampleCatalog;

/** Places of two Placekeys some 6 km apart. */
const places = [
  { Placekey: "222-222@5jc-3np-8sy", Latitude: 30.2672, Longitude: -97.7431 },
  { Placekey: undefined, Latitude: 30.2672, Longitude: -97.7431 },
] as const;

const record = fc.record({
  datasetId: fc.constantFrom("one", "another", null),
  county: fc.constantFrom("48453", "48491", "4845"),
  number: fc.constantFrom("1", "2", "3", " "),
  place: fc.constantFrom(...places),
});

type Given = {
  readonly datasetId: string | null;
  readonly county: string;
  readonly number: string;
  readonly place: object;
};

/** What the gate finds with so many parcels in memory. */
async function found(records: readonly Given[], atOnce: number) {
  const all = async function* () {
    for (const [nth, { datasetId, county, number, place }] of records.entries()) {
      const row = { PublicRecordKey: `${nth}`, CountyFips: county, ParcelNumber: number, ...place };
      yield { datasetId, text: JSON.stringify(row) };
    }
  };
  const candidate = { records: records.length, all } as unknown as Candidate;
  const { passed, evidence } = await parcelIdentityBy(atOnce).check({
    catalog: sampleCatalog,
    entitySet: entitySet("PublicRecord"),
    candidate,
    passedBefore: new Set(),
    policy: { maxShrink: 20, allowShrink: false, crosswalk: { assigned: () => Promise.resolve(new Map()) } },
  });
  return { passed, ...(evidence as object), examples: undefined };
}

test("however few parcels are in memory, the same is found", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(record, { maxLength: 30 }),
      fc.integer({ min: 1, max: 10 }),
      async (records, atOnce) => {
        expect(await found(records, atOnce)).toEqual(await found(records, 1000));
      },
    ),
  );
});

test("a parcel that a dataset has twice is found in whatever round it is", async () => {
  const one = { datasetId: "one", county: "48453", number: "1", place: places[1] };
  const others = Array.from({ length: 20 }, (_, i) => ({ ...one, number: `${i + 2}` }));
  expect(await found([one, ...others], 3)).toMatchObject({ passed: true, records: 21 });
  expect(await found([one, ...others, one], 3)).toMatchObject({ passed: false, repeated: 1 });
});
