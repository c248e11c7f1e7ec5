import type { StructuralProperty } from "../model/types.ts";

/**
 * A value in the form in which the database holds it, or the greatest such value below it.
 * `x gt 10.005` over cents is `x > 1000`: that is what `exact: false` is for. Undefined where every value lies
 * above it.
 */
export type Encoded = { readonly value: unknown; readonly exact: boolean };

/** How the values of a property lie in its column. Order of encoded values is order of the values. */
export type Encoding = (value: unknown, property: StructuralProperty) => Encoded;

export const exactly = (value: unknown): Encoded => ({ value, exact: true });
