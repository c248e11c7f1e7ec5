import { crc32 } from "node:zlib";
import type { CandidateRecord } from "@cadastre/store";
import { type Coordinates, coordinatesOf, isAtPlace } from "../identity/coordinates.ts";
import type { Gate } from "./gate.ts";

/** Maximum number of record keys in the evidence. */
const shownExamples = 10;

/** Two digits of the state and three of the county. Source: FIPS 6-4. */
const countyPattern = /^\d{5}$/;

/**
 * Fault of a record: an invalid county or number; a second record of a parcel in a dataset; a Placekey far from the coordinates; a
 * Placekey that differs from the one of another dataset.
 */
type Fault = "malformed" | "repeated" | "misplaced" | "contradicted";

/** Maximum number of parcels in memory, about 300 bytes each. */
const parcelsAtOnce = 1_000_000;

/** Creates {@link parcelIdentity} with another limit of parcels in memory. All records are read `records / atOnce` times. */
export const parcelIdentityBy = (atOnce: number): Gate => ({
  name: "parcel_identity",
  holds:
    "a parcel is named by county and number, no dataset has it twice, and its Placekey, by which it joins listings, is one for all datasets and lies where the parcel does",
  of: ["PublicRecord"],
  check: async ({ candidate }) => {
    const { records } = candidate;
    const faults: Record<Fault, number> = { malformed: 0, repeated: 0, misplaced: 0, contradicted: 0 };
    const examples: string[] = [];
    const rounds = Math.max(1, Math.ceil(records / atOnce));
    for (let round = 0; round < rounds; round++) {
      const faultOf = createParcels();
      for await (const record of candidate.all()) {
        const parcel = parcelOf(record);
        if (crc32(idOf(parcel)) % rounds !== round) continue;
        const fault = faultOf(parcel);
        if (fault === undefined) continue;
        faults[fault]++;
        if (examples.length < shownExamples) examples.push(parcel.key);
      }
    }
    return { passed: examples.length === 0, evidence: { records, ...faults, examples } };
  },
});

export const parcelIdentity: Gate = parcelIdentityBy(parcelsAtOnce);

type Parcel = {
  readonly key: string;
  readonly datasetId: string | null;
  readonly county: string;
  readonly number: string;
  readonly placekey: string | undefined;
  readonly place: Coordinates | undefined;
};

const idOf = ({ county, number }: Parcel): string => `${county}/${number}`;

/** Returns a function that checks a record alone and against the records before it. Undefined if it has no fault. */
function createParcels(): (parcel: Parcel) => Fault | undefined {
  const known = new Map<string, { readonly datasets: Set<string | null>; placekey: string | undefined }>();
  return (parcel) => {
    const { datasetId, county, number, placekey, place } = parcel;
    if (!countyPattern.test(county) || number.trim() === "") return "malformed";
    if (placekey !== undefined && (place === undefined || !isAtPlace(placekey, place))) return "misplaced";
    const id = idOf(parcel);
    const before = known.get(id) ?? { datasets: new Set(), placekey };
    known.set(id, before);
    if (before.datasets.has(datasetId)) return "repeated";
    before.datasets.add(datasetId);
    before.placekey ??= placekey;
    return placekey === undefined || placekey === before.placekey ? undefined : "contradicted";
  };
}

function parcelOf({ datasetId, text }: CandidateRecord): Parcel {
  const record = JSON.parse(text) as Readonly<Record<string, unknown>>;
  const { PublicRecordKey, CountyFips, ParcelNumber, Placekey } = record;
  return {
    key: String(PublicRecordKey),
    datasetId,
    county: String(CountyFips),
    number: String(ParcelNumber),
    placekey: typeof Placekey === "string" ? Placekey : undefined,
    place: coordinatesOf(record),
  };
}
