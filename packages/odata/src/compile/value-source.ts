import type { BoundQuery, ConstantNode } from "../bound/tree.ts";
import type { StructuralProperty } from "../model/types.ts";
import { type Encoded, type EncodingName, encodings } from "../sql/encoding.ts";

/**
 * Source of the values of a statement. The compiler may inspect a constant only by its type, by testing for null
 * and NaN, and through `encode`, `derive`, `examine` and `inlineValue`. Constants of the same type that agree in all
 * of these compile to the same text.
 */
export type ValueSource = {
  /** Encodes a constant in a form. `scale` is the scale of a scaled integer. */
  readonly encode: (constant: ConstantNode, form: EncodingName, scale: number | null) => Encoded;
  /** Computes a value from the values of constants. */
  readonly derive: (
    constants: readonly ConstantNode[],
    by: (values: readonly unknown[]) => unknown,
  ) => unknown;
  /** Returns the value of a constant on which the text of the statement depends. */
  readonly inlineValue: (constant: ConstantNode) => unknown;
  /** Returns a fact about the values of constants on which the text of the statement depends. */
  readonly examine: <Fact extends boolean | number | null>(
    constants: readonly ConstantNode[],
    by: (values: readonly unknown[]) => Fact,
  ) => Fact;
  /** Returns a value of the query itself, such as its `top` or a value of its `after`. */
  readonly read: (member: (query: BoundQuery) => unknown) => unknown;
};

/** Returns a source with the values of this query. */
export const valuesOf = (query: BoundQuery): ValueSource => ({
  encode: ({ value }, form, scale) => encodings[form](value, scaledBy(scale)),
  derive: (constants, by) => by(constants.map(({ value }) => value)),
  inlineValue: ({ value }) => value,
  examine: (constants, by) => by(constants.map(({ value }) => value)),
  read: (member) => member(query),
});

const unscaled: StructuralProperty = { name: "", type: "Edm.String", collection: false, nullable: true };

/** Returns a property with the given scale, the only member that encoding reads. */
export const scaledBy = (scale: number | null): StructuralProperty =>
  scale === null || scale === 0 ? unscaled : { ...unscaled, scale };
