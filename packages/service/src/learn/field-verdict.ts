/** Fate of a field of the source. */
export type FieldVerdict = {
  readonly resource: string;
  readonly name: string;
  /**
   * `local`: added, or widened if the system has it with less room. `known`: the system has it, with enough room. `clash`: not proposed,
   * because its name or type conflicts, or the dictionary has another name for it. `left-out`: not representable. `undecided`: the sample has
   * no value of it.
   */
  readonly verdict: "standard" | "local" | "known" | "clash" | "left-out" | "undecided";
  /** Reason of a clash or omission, or a remark. */
  readonly reason?: string;
  /** Name under which the service has the field, if it is another one. */
  readonly renamedTo?: string;
};
