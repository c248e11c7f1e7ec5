import type { BoundQuery, ConstantNode } from "../bound/tree.ts";
import type { StructuralProperty } from "../model/types.ts";
import { type Encoded, type EncodingName, encodings } from "../sql/encoding.ts";

/**
 * Where the values of a statement come from. Compiling looks at a constant in these ways alone: whether it is null,
 * whether it is NaN, and what `encode`, `derive`, `fixed` and `holds` say of it. Constants of one type that are alike in
 * these give the same text.
 */
export type ValueSource = {
  /** A constant in a form. The scale is that of a scaled integer. */
  readonly encode: (constant: ConstantNode, form: EncodingName, scale: number | null) => Encoded;
  /** What is computed from the values of constants. */
  readonly derive: (
    constants: readonly ConstantNode[],
    by: (values: readonly unknown[]) => unknown,
  ) => unknown;
  /** The value of a constant, which becomes part of the statement in ways of its own. */
  readonly fixed: (constant: ConstantNode) => unknown;
  /** Whether the value of a constant passes a test. */
  readonly holds: (constant: ConstantNode, test: (value: unknown) => boolean) => boolean;
  /** What a member of the query is: its `top`, a value of its `after`. */
  readonly read: (member: (query: BoundQuery) => unknown) => unknown;
};

/** The values of this one query. */
export const valuesOf = (query: BoundQuery): ValueSource => ({
  encode: ({ value }, form, scale) => encodings[form](value, scaledBy(scale)),
  derive: (constants, by) => by(constants.map(({ value }) => value)),
  fixed: ({ value }) => value,
  holds: ({ value }, test) => test(value),
  read: (member) => member(query),
});

const unscaled: StructuralProperty = { name: "", type: "Edm.String", collection: false, nullable: true };

/** Encoding looks at the scale alone. */
export const scaledBy = (scale: number | null): StructuralProperty =>
  scale === null || scale === 0 ? unscaled : { ...unscaled, scale };
