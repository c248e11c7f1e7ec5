import type { BoundNode, EntitySet, EntityType, StructuralProperty } from "@cadastre/odata";
import { anyOf, constant, propertyNode } from "@cadastre/odata/tree";
import type { Grants } from "./grants.ts";
import { groupBy } from "./group.ts";
import { isNull, isOneOf } from "./predicate.ts";
import { datasetProperty, isAlwaysGranted } from "./resources/index.ts";
import { isUnmasked, type Shown, shownBy, shownOfHostReadable } from "./shown.ts";

/** Fields of one resource that a caller sees. */
export type VisibleFields = {
  /** The entity set, without the properties that no dataset shows. */
  readonly entitySet: EntitySet;
  /** The properties of the entity set that no dataset shows. A computed property with the name of one is not among them. */
  readonly hidden: ReadonlySet<StructuralProperty>;
  /**
   * Replacements of properties that some dataset hides or masks. A replacement yields the value, or the masked value, in rows of the
   * datasets that show it, and null (or `[]`) in all others.
   */
  readonly replaced: ReadonlyMap<string, BoundNode>;
  /** Names of properties that no customer sees, but conditions that the host adds to a query may read. */
  readonly hostReadable: ReadonlySet<string>;
  /** Returns the names of the properties that `dataset` shows. */
  readonly shownBy: (dataset: string) => readonly string[];
};

/** Shown form of one property by dataset id. Datasets that hide it are left out. */
type ShownIn = ReadonlyMap<string, Shown>;

/**
 * Computes the fields that a caller sees of an entity set.
 *
 * @param shared true if rows that belong to no dataset are shown; they show as much as the dataset that shows most
 * @param hostReadable see `ResourceRule.hostReadable`
 */
export function narrowFields(
  entitySet: EntitySet,
  grants: Grants,
  shared: boolean,
  hostReadable: readonly StructuralProperty[],
): VisibleFields {
  const { type } = entitySet;
  const properties = [...type.properties.values()];
  const shownIn = new Map(
    properties.map((property) => [property.name, whatIsShown(property, type, grants, shownBy)]),
  );
  for (const property of hostReadable)
    shownIn.set(property.name, whatIsShown(property, type, grants, shownOfHostReadable));
  const isShown = (name: string, dataset: string) => shownIn.get(name)?.has(dataset) === true;
  const visible = properties.filter(
    ({ name }) => isAlwaysGranted(name, type) || (shownIn.get(name)?.size ?? 0) > 0,
  );
  const seen = new Set(visible);
  return {
    entitySet: { ...entitySet, type: narrowType(type, visible) },
    hidden: new Set(properties.filter((property) => !seen.has(property))),
    replaced: new Map(
      [...visible, ...hostReadable].flatMap((property) => {
        const shown = shownIn.get(property.name) ?? new Map<string, Shown>();
        const isWholeEverywhere = shown.size === grants.size && [...shown.values()].every(isUnmasked);
        return isWholeEverywhere
          ? []
          : [[property.name, replacementOf(property, shown, grants.size, shared)]];
      }),
    ),
    hostReadable: new Set(hostReadable.map(({ name }) => name)),
    shownBy: (dataset) => visible.map(({ name }) => name).filter((name) => isShown(name, dataset)),
  };
}

/** Copies single members, without `structured`: no grant covers what lies behind a navigation or complex property. */
function narrowType(
  { name, key, annotations }: EntityType,
  visible: readonly StructuralProperty[],
): EntityType {
  const properties = new Map(visible.map((property) => [property.name, property]));
  return { name, key, properties, ...(annotations === undefined ? {} : { annotations }) };
}

const whatIsShown = (
  property: StructuralProperty,
  type: EntityType,
  grants: Grants,
  shownOf: typeof shownBy,
): ShownIn =>
  new Map(
    [...grants].flatMap(([dataset, grant]) => {
      const shown = shownOf(grant, property, type);
      return shown === undefined ? [] : [[dataset, shown]];
    }),
  );

/**
 * Returns an expression for the value that each dataset shows, the least masked first. If all of the `datasets` show a value, the last
 * alternative needs no condition.
 */
function replacementOf(
  property: StructuralProperty,
  shownIn: ShownIn,
  datasets: number,
  shared: boolean,
): BoundNode {
  const { type } = propertyNode(property);
  const withValue = [...shownIn].flatMap(([dataset, { value, masks, left }]) =>
    value === null ? [] : [{ dataset, value, masks, left }],
  );
  const groups = [...groupBy(withValue, ({ masks }) => masks).values()]
    .flatMap((group) =>
      group
        .slice(0, 1)
        .map(({ value, left }) => ({ value, left, within: group.map(({ dataset }) => dataset) })),
    )
    .toSorted((a, b) => b.left - a.left);
  const choice = groups.reduceRight<BoundNode | undefined>((otherwise, { value, within }, i) => {
    if (otherwise === undefined && withValue.length === datasets) return value;
    const granted = isOneOf(datasetProperty, within);
    const when = shared && i === 0 ? anyOf(granted, isNull(datasetProperty)) : granted;
    return { kind: "Choice", type, when, value, ...(otherwise === undefined ? {} : { otherwise }) };
  }, undefined);
  return choice ?? { kind: "Choice", type, when: constant(false), value: propertyNode(property) };
}
