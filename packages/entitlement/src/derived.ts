import type { BoundNode, PrimitiveType, StructuralProperty } from "@cadastre/odata";
import { pointNode } from "@cadastre/odata/tree";

type Derivation = {
  readonly type: PrimitiveType;
  /** Names of the numeric properties that the value is computed from. */
  readonly inputs: readonly [string, string];
  readonly value: (...inputs: readonly [BoundNode, BoundNode]) => BoundNode;
};

/** Derived properties that are recomputed if an input is masked. Any other derived property is null then. */
const derivations: Readonly<Record<string, Derivation>> = {
  Coordinates: { type: "Edm.GeographyPoint", inputs: ["Longitude", "Latitude"], value: pointNode },
};

const numbers: readonly BoundNode["type"][] = ["Edm.Decimal", "Edm.Double", "Edm.Single"];

/** Computes a derived property from the shown values of its inputs, by name. Returns null if it cannot be computed. */
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
