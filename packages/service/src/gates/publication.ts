import { createHash } from "node:crypto";
import { resourceRules } from "@cadastre/entitlement";
import type { EntitySet } from "@cadastre/odata";
import { type Catalog, recordNames } from "@cadastre/reso";
import type { Build, Builds, Candidate, GateVerdict } from "@cadastre/store";
import { z } from "zod";
import { gateResultsOf } from "./activation.ts";
import type { GateResult, PublicationPolicy } from "./gate.ts";
import { tryGates } from "./gates.ts";

/** Result of a publication. If a gate fails for one of the sets, none is published. */
export type GatedPublication = {
  /** New builds. Empty if nothing was published. */
  readonly builds: readonly Build[];
  /** Number of records that are served no more. */
  readonly removed: number;
  /** Results of the gates by resource. */
  readonly results: ReadonlyMap<string, readonly GateResult[]>;
};

type Publisher = {
  readonly builds: Pick<Builds, "publish" | "current">;
  readonly catalog: Catalog;
};

/**
 * Publishes the staged records of the resources if they pass all of their gates.
 *
 * @throws {StoreError} as `Builds.publish`
 */
export const publishGated = (
  store: Publisher,
  resources: readonly string[],
  policy: Partial<PublicationPolicy> = {},
): Promise<GatedPublication> =>
  throughGates(store, resources, policy, {
    passedBefore: async (resource) => passedGates(await store.builds.current(resource)),
    decide: allPassed,
  });

/** Tries the gates on the build that a publication would create, without publishing it. Gates check all records, not only changed ones. */
export const tryGatesOnly = (
  store: Publisher,
  resource: string,
  policy: Partial<PublicationPolicy> = {},
): Promise<GatedPublication> =>
  throughGates(store, [resource], policy, {
    passedBefore: () => Promise.resolve(new Set()),
    decide: () => false,
  });

type Trying = {
  /** Returns the names of the gates that the serving build has passed: they only need to check the changed records. */
  readonly passedBefore: (resource: string) => Promise<ReadonlySet<string>>;
  readonly decide: (results: readonly GateResult[]) => boolean;
};

/** Returns the gates that a build has passed. Empty if its rules were others: what held under them need not hold now. */
function passedGates(build: Build | undefined): ReadonlySet<string> {
  if (build === undefined || rulesForm.safeParse(build.evidence).data?.rules !== rulesHash(build.resource))
    return new Set();
  return new Set(gateResultsOf(build).flatMap(({ gate, passed }) => (passed ? [gate] : [])));
}

const rulesForm = z.object({ rules: z.string() });

/** Hash of the rules that restrict a resource. */
const rulesHash = (resource: string): string =>
  createHash("sha256")
    .update(JSON.stringify(resourceRules[resource] ?? null))
    .digest("hex")
    .slice(0, 16);

/** Default policy: 20 % may be removed, and the crosswalk is empty. */
const usualPolicy: PublicationPolicy = {
  maxShrink: 20,
  allowShrink: false,
  crosswalk: { assigned: () => Promise.resolve(new Map()) },
};

export const allPassed = (results: readonly GateResult[]): boolean => results.every(({ passed }) => passed);

async function throughGates(
  { builds, catalog }: Publisher,
  resources: readonly string[],
  policy: Partial<PublicationPolicy>,
  { passedBefore, decide }: Trying,
): Promise<GatedPublication> {
  const found = new Map<string, readonly GateResult[]>();
  const before = new Map<string, ReadonlySet<string>>();
  for (const resource of resources) before.set(resource, await passedBefore(resource));
  const check = async (candidate: Candidate): Promise<GateVerdict> => {
    const results = await tryGates({
      catalog,
      entitySet: setOf(catalog, candidate),
      candidate,
      passedBefore: before.get(candidate.resource) ?? new Set(),
      policy: { ...usualPolicy, ...policy },
    });
    found.set(candidate.resource, results);
    return { passed: decide(results), evidence: { gates: results, rules: rulesHash(candidate.resource) } };
  };
  const publication = await builds.publish(resources, check, { rehearse: true });
  return publication.published
    ? { builds: publication.builds, removed: publication.commit.removed, results: found }
    : { builds: [], removed: 0, results: found };
}

function setOf(catalog: Catalog, { resource }: Candidate): EntitySet {
  const found = recordNames.find((name) => name === resource);
  if (found === undefined) throw new RangeError(`no resource \`${resource}\``);
  return catalog.entitySet(found);
}
