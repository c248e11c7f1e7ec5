import type { EntitySet } from "@cadastre/odata";
import type { Catalog, RecordName } from "@cadastre/reso";
import type { Candidate, Json } from "@cadastre/store";
import type { IdentityRegister } from "@cadastre/store/registry";

/** Input of a gate. */
export type Trial = {
  readonly catalog: Catalog;
  readonly entitySet: EntitySet;
  readonly candidate: Candidate;
  /**
   * Names of the gates that the serving build has passed under the present rules: they only need to check the changed records. Empty in a
   * rehearsal.
   */
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

type Finding = { readonly passed: boolean; readonly evidence: Json };

/** Condition that a build must meet to be served. Source: interface specification, section 2.2, rule 1. */
export type Gate = {
  readonly name: string;
  /** Description of the condition, for the operator. */
  readonly holds: string;
  /** Resources that must pass the gate. Absent: all. */
  readonly of?: readonly RecordName[];
  readonly check: (trial: Trial) => Promise<Finding> | Finding;
};

/** Result of a gate, as stored with the build. */
export type GateResult = Finding & { readonly gate: string };
