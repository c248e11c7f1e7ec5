import type { EntitySet } from "@cadastre/odata";
import { hasRecords, nothingWithoutGrant, removedIsGone, sameAsRehearsal, uniqueKeys } from "./every-set.ts";
import type { Gate, GateResult, Trial } from "./gate.ts";
import { parcelIdentity } from "./parcels.ts";
import { listingPlaces } from "./places.ts";
import { contactFields, lookupIdentity, privateMedia } from "./policies.ts";
import { shrink } from "./shrink.ts";

/** All gates, in the order in which they are tried. */
export const gates: readonly Gate[] = [
  hasRecords,
  uniqueKeys,
  nothingWithoutGrant,
  sameAsRehearsal,
  removedIsGone,
  shrink,
  privateMedia,
  contactFields,
  lookupIdentity,
  parcelIdentity,
  listingPlaces,
];

/** Returns the gates that a set must pass. */
export const gatesOf = ({ name }: EntitySet): readonly Gate[] =>
  gates.filter(({ of }) => of === undefined || of.some((resource) => resource === name));

export async function tryGates(trial: Trial): Promise<readonly GateResult[]> {
  const results: GateResult[] = [];
  for (const { name, check } of gatesOf(trial.entitySet))
    results.push({ gate: name, ...(await check(trial)) });
  return results;
}
