import type { BoundQuery, ConstantNode } from "../bound/tree.ts";
import type { StructuralProperty } from "../model/types.ts";
import { type Encoded, type EncodingName, encodings } from "../sql/encoding.ts";
import type { CompiledSql } from "../sql/fragment.ts";
import { type Found, isQueryOfShape, shapeOfQuery } from "./query-shape.ts";
import { scaledBy, type ValueSource } from "./value-source.ts";

/** Compiles a query, with values from a {@link ValueSource}. */
export type Compile = (query: BoundQuery, values: ValueSource) => CompiledSql;

/**
 * A cached statement. Returns the statement with the values of `query` if the query has the same shape; otherwise
 * undefined.
 */
export type StatementTemplate = (query: BoundQuery) => CompiledSql | undefined;

/**
 * Use of an encoded constant. The text of the statement depends on whether the encoding was exact, and whether it
 * gave a value at all.
 */
type EncodedConstant = {
  readonly place: number;
  readonly form: EncodingName;
  /** Holds the scale, the only member that encoding reads. */
  readonly property: StructuralProperty;
  readonly encoded: Encoded;
};

/** Values of the constants of a query, by their places. */
type ConstantAt = (place: number) => unknown;

/** A value derived from constants. The place of a constant that is not of the query is -1. */
type Derived = {
  readonly places: readonly number[];
  readonly from: (constantAt: ConstantAt) => unknown;
};

/** A fact about constants, as it was. The text of the statement depends on it. */
type ExaminedConstants = Derived & { readonly fact: unknown };

/**
 * Placeholder in a statement for a value that differs between queries of the shape: that of a use (by index), a
 * derived one, or a member of the query.
 */
class ValuePlaceholder {
  readonly of: number | Derived | ((query: BoundQuery) => unknown);
  constructor(of: ValuePlaceholder["of"]) {
    this.of = of;
  }
}

/**
 * Compiles `query` and keeps the result as a template. `projected` is true if the `select` of the query is part of
 * the statement.
 */
export function statementTemplateOf(
  query: BoundQuery,
  compile: Compile,
  projected: boolean,
): StatementTemplate {
  const { shape, own, constants } = shapeOfQuery(query, projected);
  const uses: EncodedConstant[] = [];
  const examined: ExaminedConstants[] = [];
  const encode: ValueSource["encode"] = (constant, form, scale) => {
    const property = scaledBy(scale);
    const encoded = encodings[form](constant.value, property);
    const place = constants.indexOf(constant);
    if (place < 0) return encoded;
    uses.push({ place, form, property, encoded });
    return encoded.value === undefined
      ? encoded
      : { ...encoded, value: new ValuePlaceholder(uses.length - 1) };
  };
  const derivedFrom = (of: readonly ConstantNode[], by: (values: readonly unknown[]) => unknown): Derived => {
    const places = of.map((constant) => constants.indexOf(constant));
    return {
      places,
      from: (constantAt) => by(places.map((place, i) => (place < 0 ? of[i]?.value : constantAt(place)))),
    };
  };
  const derivedPlaces = new Set<number>();
  const derive: ValueSource["derive"] = (of, by) => {
    const derived = derivedFrom(of, by);
    for (const place of derived.places) derivedPlaces.add(place);
    return new ValuePlaceholder(derived);
  };
  const fixedPlaces = new Set<number>();
  const fixed: ValueSource["inlineValue"] = (constant) => {
    fixedPlaces.add(constants.indexOf(constant));
    return constant.value;
  };
  const examine: ValueSource["examine"] = (of, by) => {
    const fact = by(of.map(({ value }) => value));
    examined.push({ fact, ...derivedFrom(of, by) });
    return fact;
  };
  const { text, values } = compile(own, {
    encode,
    derive,
    inlineValue: fixed,
    examine,
    read: (member) => new ValuePlaceholder(member),
  });
  const freePlaces = new Set([...derivedPlaces, ...uses.map(({ place }) => place)]);
  const isFixed = constants.map((_, place) => fixedPlaces.has(place) || !freePlaces.has(place));

  return (other) => {
    const found: Found = constants.map(() => undefined);
    if (!isQueryOfShape(other, shape, found)) return undefined;
    for (let i = 0; i < found.length; i += 1) {
      if (
        found[i] !== undefined &&
        !mayStand(found[i] as ConstantNode, constants[i] as ConstantNode, isFixed[i])
      )
        return undefined;
    }
    const constantAt: ConstantAt = (place) => (found[place] ?? (constants[place] as ConstantNode)).value;
    for (const { places, fact, from } of examined) {
      const isOther = places.some((place) => found[place] !== undefined);
      if (isOther && from(constantAt) !== fact) return undefined;
    }
    const encoded = encodedBy(uses, found);
    if (encoded === undefined) return undefined;
    return { text, values: values.map((one) => givenBy(one, other, encoded, constantAt)) };
  };
}

/**
 * True if a constant may replace the known one. A constant that was never passed as a value may be part of the
 * text, so only an equal value may replace it.
 */
const mayStand = ({ value }: ConstantNode, known: ConstantNode, isFixed = true): boolean =>
  isFixed ? value === known.value : value !== null && !Number.isNaN(value);

/** Encodes every use with the constants found; undefined if the text of the statement would differ. */
function encodedBy(uses: readonly EncodedConstant[], found: Found): readonly unknown[] | undefined {
  const encoded: unknown[] = [];
  for (const { place, form, property, encoded: known } of uses) {
    const constant = found[place];
    const { value, exact } = constant === undefined ? known : encodings[form](constant.value, property);
    if (exact !== known.exact || (value === undefined) !== (known.value === undefined)) return undefined;
    encoded.push(value);
  }
  return encoded;
}

function givenBy(
  one: unknown,
  query: BoundQuery,
  encoded: readonly unknown[],
  constantAt: ConstantAt,
): unknown {
  if (!(one instanceof ValuePlaceholder)) return one;
  const { of } = one;
  if (typeof of === "number") return encoded[of];
  return typeof of === "function" ? of(query) : of.from(constantAt);
}
