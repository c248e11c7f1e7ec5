import { type BoundNode, type PrimitiveType, pointNode, type StructuralProperty } from "@cadastre/odata";

type Derivation = {
  readonly type: PrimitiveType;
  /** Names of numbers. */
  readonly inputs: readonly [string, string];
  readonly value: (...inputs: readonly [BoundNode, BoundNode]) => BoundNode;
};

/** How derived properties are computed anew where an input is masked. One that is not named here is null there. */
const derivations: Readonly<Record<string, Derivation>> = {
  Coordinates: { type: "Edm.GeographyPoint", inputs: ["Longitude", "Latitude"], value: pointNode },
};

const numbers: readonly BoundNode["type"][] = ["Edm.Decimal", "Edm.Double", "Edm.Single"];

/** The value of a derived property from what is shown of its inputs, by name; null: it cannot be computed. */
export function derivedValue(
  { name, type, collection }: StructuralProperty,
  shown: ReadonlyMap<string, BoundNode | null>,
): BoundNode | null {
  const derivation = Object.hasOwn(derivations, name) ? derivations[name] : undefined;
  if (derivation === undefined || derivation.type !== type || collection) return null;
  const [first, second] = derivation.inputs.map((input) => numberIn(shown, input));
  return first === undefined || second === undefined ? null : derivation.value(first, second);
}

function numberIn(shown: ReadonlyMap<string, BoundNode | null>, name: string): BoundNode | undefined {
  const value = shown.get(name) ?? undefined;
  return value !== undefined && numbers.includes(value.type) ? value : undefined;
}
