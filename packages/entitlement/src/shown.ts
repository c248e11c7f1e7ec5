import { type BoundNode, type EntityType, propertyNode, type StructuralProperty } from "@cadastre/odata";
import { derivedValue } from "./derived.ts";
import type { Grant } from "./grants.ts";
import { leftBy, maskedValue } from "./mask.ts";
import { isAlwaysGranted } from "./resources/index.ts";

/** What a dataset shows of a property that it grants. */
export type Shown = {
  /** The value; null: none in any row. */
  readonly value: BoundNode | null;
  /** Equal for datasets that show the same. Empty where the property's own value is shown, whole. */
  readonly masks: string;
  /** Of two datasets that show a value, the one with more shows more of it. */
  readonly left: number;
};

const nothing: Shown = { value: null, masks: "null", left: -1 };

const wholeOf = (property: StructuralProperty): Shown => ({
  value: propertyNode(property),
  masks: "",
  left: Number.POSITIVE_INFINITY,
});

export const isWhole = ({ masks }: Shown): boolean => masks === "";

/**
 * What a grant shows of a property; undefined where it hides it. A derived property is shown where it is granted and
 * all that it is computed from is shown, and is computed from that.
 */
export function shownBy(grant: Grant, property: StructuralProperty, type: EntityType): Shown | undefined {
  const { name, derivedFrom = [] } = property;
  const whole = wholeOf(property);
  if (isAlwaysGranted(name, type)) return whole;
  if (!grant.fields.has(name)) return undefined;
  const inputs = new Map<string, Shown>();
  for (const inputName of derivedFrom) {
    const input = type.properties.get(inputName);
    const shown = input && shownBy(grant, input, type);
    if (shown === undefined) return undefined;
    inputs.set(inputName, shown);
  }
  const before = [...inputs.values()].every(isWhole) ? whole : derived(property, inputs);
  return masked(before, property, grant);
}

/**
 * What a grant shows of a property that no grant can name: its value, if all that it comes from is shown whole. One that
 * does not say what it comes from is shown to nobody.
 */
export function shownOfComputed(
  grant: Grant,
  property: StructuralProperty,
  type: EntityType,
): Shown | undefined {
  const { derivedFrom } = property;
  const areWhole = derivedFrom?.every((inputName) => {
    const input = type.properties.get(inputName);
    const shown = input && shownBy(grant, input, type);
    return shown !== undefined && isWhole(shown);
  });
  return areWhole === true ? wholeOf(property) : undefined;
}

function derived(property: StructuralProperty, inputs: ReadonlyMap<string, Shown>): Shown {
  const value = derivedValue(property, new Map([...inputs].map(([name, shown]) => [name, shown.value])));
  if (value === null) return nothing;
  const masks = JSON.stringify([...inputs.values()].map((input) => input.masks));
  return { value, masks, left: Math.min(...[...inputs.values()].map(({ left }) => left)) };
}

function masked(shown: Shown, property: StructuralProperty, { masks }: Grant): Shown {
  const mask = masks.get(property.name);
  if (mask === undefined || shown.value === null) return shown;
  const value = maskedValue(mask, shown.value, property);
  if (value === null) return nothing;
  return { value, masks: `${shown.masks} ${mask}`, left: Math.min(shown.left, leftBy(mask)) };
}
