import type { BoundQuery, ConstantNode } from "../bound/tree.ts";
import type { StructuralProperty } from "../model/types.ts";
import { type Encoded, type EncodingName, encodings } from "../sql/encoding.ts";
import type { CompiledSql } from "../sql/fragment.ts";
import { type Found, isQueryOfShape, shapeOfQuery } from "./query-shape.ts";
import { scaledBy, type ValueSource } from "./value-source.ts";

/** Compiles a query, with the values of a source. */
export type Compile = (query: BoundQuery, values: ValueSource) => CompiledSql;

/** The statement of a query of the same shape; undefined for any other query. */
export type Template = (query: BoundQuery) => CompiledSql | undefined;

/** A constant as it was encoded. The text rests on whether that was exact, and whether it gave a value at all. */
type Use = {
  readonly place: number;
  readonly form: EncodingName;
  /** All that encoding looks at: its scale. */
  readonly property: StructuralProperty;
  readonly encoded: Encoded;
};

/** What was computed from constants. */
type Derived = {
  readonly places: readonly number[];
  readonly by: (values: readonly unknown[]) => unknown;
};

/** What was asked of a constant, and the answer. The text rests on that as well. */
type Asked = {
  readonly place: number;
  readonly test: (value: unknown) => boolean;
  readonly answer: boolean;
};

/** Stands in a statement for a value that each query of the shape has of its own: of a use, computed, of a member. */
class Own {
  readonly of: number | Derived | ((query: BoundQuery) => unknown);
  constructor(of: Own["of"]) {
    this.of = of;
  }
}

/** Remember how `query` compiles. `projected` where its `select` is part of the statement. */
export function templateOf(query: BoundQuery, compile: Compile, projected: boolean): Template {
  const { shape, own, constants } = shapeOfQuery(query, projected);
  const uses: Use[] = [];
  const asked: Asked[] = [];
  const encode: ValueSource["encode"] = (constant, form, scale) => {
    const property = scaledBy(scale);
    const encoded = encodings[form](constant.value, property);
    const place = constants.indexOf(constant);
    if (place < 0) return encoded;
    uses.push({ place, form, property, encoded });
    return encoded.value === undefined ? encoded : { ...encoded, value: new Own(uses.length - 1) };
  };
  const derivedPlaces = new Set<number>();
  const derive: ValueSource["derive"] = (from, by) => {
    const places = from.map((constant) => constants.indexOf(constant));
    if (places.includes(-1)) return by(from.map((constant) => constant.value));
    for (const place of places) derivedPlaces.add(place);
    return new Own({ places, by });
  };
  const fixedPlaces = new Set<number>();
  const fixed: ValueSource["fixed"] = (constant) => {
    fixedPlaces.add(constants.indexOf(constant));
    return constant.value;
  };
  const holds: ValueSource["holds"] = (constant, test) => {
    const answer = test(constant.value);
    const place = constants.indexOf(constant);
    if (place >= 0) asked.push({ place, test, answer });
    return answer;
  };
  const { text, values } = compile(own, { encode, derive, fixed, holds, read: (member) => new Own(member) });
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
    for (const { place, test, answer } of asked) {
      const constant = found[place];
      if (constant !== undefined && test(constant.value) !== answer) return undefined;
    }
    const encoded = encodedBy(uses, found);
    if (encoded === undefined) return undefined;
    const constantAt = (place: number) => (found[place] ?? (constants[place] as ConstantNode)).value;
    return { text, values: values.map((one) => givenBy(one, other, encoded, constantAt)) };
  };
}

/** A constant that was never a value may be part of the text: only the same value may stand for it. */
const mayStand = ({ value }: ConstantNode, known: ConstantNode, isFixed = true): boolean =>
  isFixed ? value === known.value : value !== null && !Number.isNaN(value);

/** Every use with the constants found; undefined where the text would be another. */
function encodedBy(uses: readonly Use[], found: Found): readonly unknown[] | undefined {
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
  constantAt: (place: number) => unknown,
): unknown {
  if (!(one instanceof Own)) return one;
  const { of } = one;
  if (typeof of === "number") return encoded[of];
  return typeof of === "function" ? of(query) : of.by(of.places.map(constantAt));
}
