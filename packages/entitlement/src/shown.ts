import type { BoundNode, EntityType, StructuralProperty } from "@cadastre/odata";
import { propertyNode } from "@cadastre/odata/tree";
import { derivedValue } from "./derived.ts";
import type { Grant } from "./grants.ts";
import { leftBy, maskedValue } from "./mask.ts";
import { isAlwaysGranted } from "./resources/index.ts";

/** The form in which a dataset shows a property that it grants. */
export type Shown = {
  /** The shown value; null if it is null in all rows. */
  readonly value: BoundNode | null;
  /** Applied masks as text, equal for datasets that show the property alike. Empty if its own value is shown unmasked. */
  readonly masks: string;
  /** Amount that the masks leave: of two datasets that show a value, the one with the larger number shows more. */
  readonly left: number;
};

const nothing: Shown = { value: null, masks: "null", left: -1 };

const wholeOf = (property: StructuralProperty): Shown => ({
  value: propertyNode(property),
  masks: "",
  left: Number.POSITIVE_INFINITY,
});

export const isUnmasked = ({ masks }: Shown): boolean => masks === "";

/**
 * Returns the form in which a grant shows a property; undefined if it hides the property. A derived property is shown if it is granted and
 * all of its inputs are shown, and is computed from the shown inputs.
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
  const before = [...inputs.values()].every(isUnmasked) ? whole : derived(property, inputs);
  return masked(before, property, grant);
}

/**
 * Returns the form in which a grant shows a property that no grant can name: its own value if all of its inputs are shown unmasked. A
 * property that does not state its inputs is shown to nobody.
 */
export function shownOfHostReadable(
  grant: Grant,
  property: StructuralProperty,
  type: EntityType,
): Shown | undefined {
  const { derivedFrom } = property;
  const areWhole = derivedFrom?.every((inputName) => {
    const input = type.properties.get(inputName);
    const shown = input && shownBy(grant, input, type);
    return shown !== undefined && isUnmasked(shown);
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
