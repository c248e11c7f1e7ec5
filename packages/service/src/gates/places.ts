import type { Row } from "@cadastre/odata";
import { coordinatesOf, doubtOf, isInStateOf, statesOf } from "../identity/coordinates.ts";
import { sourceOf } from "../ingest/sources.ts";
import type { Gate, PublicationPolicy } from "./gate.ts";

/** Number of listing keys in the evidence. */
const shownKeys = 10;

/** Number of listings that are looked up in the crosswalk at once. */
const groupSize = 500;

const name = "listing_places";

export const listingPlaces: Gate = {
  name,
  holds:
    "no listing that the publication adds or changes has coordinates outside its state, or a Placekey that lies elsewhere and is not of the operator's crosswalk; `gates` and the first publication with this gate also count the listings stored before",
  of: ["Property"],
  check: async ({ catalog, candidate, passedBefore, policy: { crosswalk } }) => {
    // Reading every listing takes longer than most publications, so it is only done until the gate has been passed once.
    const isCounted = !passedBefore.has(name);
    const [changed, stored] = [createFinding(), createFinding()];
    let assigned = 0;
    const far: FarPlacekey[] = [];
    const settle = async () => {
      const own = await ownPlacekeys(crosswalk, far);
      for (const { key, placekey, isChanged } of far.splice(0))
        if (own.get(key) === placekey) assigned++;
        else count(isChanged ? changed : stored, "far_placekeys", key);
    };
    for await (const { datasetId, text, isChanged } of isCounted ? candidate.all() : candidate.changed()) {
      const listing = JSON.parse(text) as Row;
      const { Placekey: placekey } = listing;
      const states = statesOf(catalog, datasetId);
      const [key, place] = [String(listing["ListingKey"]), coordinatesOf(listing)];
      if (place !== undefined && isInStateOf(place, listing, states) === false)
        count(isChanged ? changed : stored, "outside_state", key);
      if (typeof placekey !== "string" || doubtOf(placekey, listing, states) === undefined) continue;
      far.push({ source: sourceOf(catalog, datasetId), key, placekey, isChanged });
      if (far.length === groupSize) await settle();
    }
    await settle();
    return {
      passed: changed.far_placekeys + changed.outside_state === 0,
      evidence: { ...changed, assigned, stored_before: isCounted ? stored : null },
    };
  },
};

type Finding = { far_placekeys: number; outside_state: number; readonly keys: string[] };

const createFinding = (): Finding => ({ far_placekeys: 0, outside_state: 0, keys: [] });

function count(finding: Finding, kind: "far_placekeys" | "outside_state", key: string): void {
  finding[kind]++;
  if (finding.keys.length < shownKeys && !finding.keys.includes(key)) finding.keys.push(key);
}

/** Listing whose Placekey is away from its coordinates, or outside of its state. */
type FarPlacekey = {
  readonly source: string;
  readonly key: string;
  readonly placekey: string;
  readonly isChanged: boolean;
};

/** Returns the Placekeys that the operator has assigned to these listings, by key. */
async function ownPlacekeys(
  crosswalk: PublicationPolicy["crosswalk"],
  listings: readonly FarPlacekey[],
): Promise<ReadonlyMap<string, string>> {
  const own = new Map<string, string>();
  for (const source of new Set(listings.map((one) => one.source))) {
    const keys = listings.filter((one) => one.source === source).map(({ key }) => key);
    for (const [key, placekey] of await crosswalk.assigned(source, keys)) own.set(key, placekey);
  }
  return own;
}
