import type { StructuralProperty } from "../model/types.ts";

/**
 * A value in the encoding of a column. If it cannot be represented exactly, `exact` is false and `value` is the
 * greatest representable value below it: over cents, `x gt 10.005` becomes `x > 1000`. `value` is undefined if all
 * representable values are greater.
 */
export type Encoded = { readonly value: unknown; readonly exact: boolean };

/** Encodes values of a property for its column. Encoded values sort like the values. */
export type Encoder = (value: unknown, property: StructuralProperty) => Encoded;

export const exactValue = (value: unknown): Encoded => ({ value, exact: true });
