import fc from "fast-check";
import { functionTable } from "../functions/index.ts";
import type { EntitySet } from "../index.ts";
import type { ValueType } from "../run/index.ts";
import { operandsByType, quotedText } from "./comparisons.ts";

/** Literals of the parameter types of functions. */
export const literals: Readonly<Record<string, fc.Arbitrary<string>>> = {
  "Edm.String": quotedText,
  "Edm.Int64": fc.constantFrom("0", "-1", "2", "9223372036854775807", "-9223372036854775808"),
  "Edm.Decimal": operandsByType.number.literal.filter((number) => !/INF|NaN|e/.test(number)),
  "Edm.Double": fc.constantFrom("0e0", "1e308", "-1e308", "5e-324", "INF", "NaN"),
  "Edm.Boolean": operandsByType.boolean.literal,
  "Edm.Date": operandsByType.date.literal,
  "Edm.DateTimeOffset": operandsByType.instant.literal,
  "Edm.TimeOfDay": operandsByType.time.literal,
  "Edm.Duration": operandsByType.duration.literal,
  "Edm.Guid": operandsByType.guid.literal,
  "Edm.GeographyPoint": fc.constantFrom("geography'Point(-97.7 30.2)'", "geography'Point(180 90)'"),
  "Edm.GeographyPolygon": fc.constantFrom(
    "geography'Polygon((0 0,2 0,2 2,0 2,0 0))'",
    "geography'Polygon((0 0,0 0,0 0,0 0))'",
  ),
  "Edm.GeographyLineString": fc.constant("geography'LineString(0 0,0 91)'"),
  "Collection(Edm.String)": fc.constantFrom('["Oven",null]', "[]", '["2024-02-29","PT1S"]'),
  "Collection(Edm.Int64)": fc.constantFrom("[1,2]", "[9223372036854775807,null]"),
  "Collection(Edm.Decimal)": fc.constantFrom("[0.10,2]", "[]", "[99999999999999999999.5]"),
  "Collection(Edm.Double)": fc.constantFrom("[1e3]", "[]"),
  "Collection(Edm.Boolean)": fc.constantFrom("[true,null]"),
};

/** Writes a negative length of `substring` as a sum: binding refuses the constant. */
const lengthComputed = (name: string) => (text: string, position: number) =>
  name === "substring" && position === 2 && /^-\d+$/.test(text) ? `(0 add ${text})` : text;

const isCollection = (type: ValueType): boolean => type.startsWith("Collection(");

/**
 * Returns boolean expressions that call every function of the table, with properties of the set, literals and other
 * calls as arguments.
 */
export function callTexts({ type }: EntitySet): fc.Arbitrary<string> {
  const properties = [...type.properties.values()];
  const namesOf = (wanted: ValueType): readonly string[] =>
    properties
      .filter((one) => (one.collection ? `Collection(${one.type})` : one.type) === wanted)
      .map(({ name }) => name);
  const entries = [...functionTable.values()].flat();

  const textOf = (wanted: ValueType, depth: number): fc.Arbitrary<string> | undefined => {
    const names = namesOf(wanted);
    const literal = literals[wanted];
    const calls = depth === 0 ? [] : callsOf(wanted, depth);
    const ways = [
      ...(names.length === 0 ? [] : [fc.constantFrom(...names), fc.constantFrom(...names)]),
      ...(literal === undefined ? [] : [literal]),
      ...(calls.length === 0 ? [] : [fc.oneof(...calls)]),
    ];
    return ways.length === 0 ? undefined : fc.oneof(...ways);
  };
  const callsOf = (returns: ValueType | null, depth: number): readonly fc.Arbitrary<string>[] =>
    entries
      .filter((entry) => (returns === null ? !isCollection(entry.returns) : entry.returns === returns))
      .flatMap(({ name, params }) => {
        const args = params.map((param) => textOf(param, depth - 1));
        const known = args.filter((arg) => arg !== undefined);
        return known.length < args.length
          ? []
          : [fc.tuple(...known).map((texts) => `${name}(${texts.map(lengthComputed(name)).join()})`)];
      });
  const scalars = callsOf(null, 3);
  return fc
    .tuple(fc.oneof(...scalars), fc.constantFrom("eq null", "ne null"))
    .map((parts) => parts.join(" "));
}
