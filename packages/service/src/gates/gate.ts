import type { EntitySet } from "@cadastre/odata";
import type { RecordName } from "@cadastre/reso";
import type { Candidate, Json } from "@cadastre/store";
import type { IdentityRegister } from "@cadastre/store/registry";

/** What a gate looks at. */
export type Trial = {
  readonly entitySet: EntitySet;
  readonly candidate: Candidate;
  /** What the same publication made when it was carried out before, and undone. */
  readonly rehearsal: Rehearsal;
  /** Names of the gates that the serving build has passed. Empty in a rehearsal. */
  readonly passedBefore: ReadonlySet<string>;
  readonly policy: PublicationPolicy;
};

/** The operator's settings for a publication. */
export type PublicationPolicy = {
  /** Percentage of a set, or of a source's records in it, that may be removed. */
  readonly maxShrink: number;
  /** True if more than that may be removed. */
  readonly allowShrink: boolean;
  /** The Placekeys that the operator has assigned. */
  readonly crosswalk: Pick<IdentityRegister, "assigned">;
};

export type Rehearsal = Pick<Candidate, "records" | "sha256">;

type Finding = { readonly passed: boolean; readonly evidence: Json };

/** A condition of an entity set's activation. Source: interface specification, section 2.2, rule 1. */
export type Gate = {
  readonly name: string;
  /** What holds where the gate is passed. */
  readonly holds: string;
  /** The resources that must pass it; absent: every one. */
  readonly of?: readonly RecordName[];
  readonly check: (trial: Trial) => Promise<Finding> | Finding;
};

/** What a gate has found, as it is kept with the build. */
export type GateResult = Finding & { readonly gate: string };
