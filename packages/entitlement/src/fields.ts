import {
  anyOf,
  type BoundNode,
  constant,
  type EntitySet,
  type EntityType,
  propertyNode,
  type StructuralProperty,
} from "@cadastre/odata";
import type { Grants } from "./grants.ts";
import { groupBy } from "./group.ts";
import { isNull, isOneOf } from "./predicate.ts";
import { datasetProperty, isAlwaysGranted } from "./resources/index.ts";
import { isWhole, type Shown, shownBy, shownOfComputed } from "./shown.ts";

/** Fields of one resource as one caller sees them. */
export type Fields = {
  /** The entity set without what no dataset shows. */
  readonly entitySet: EntitySet;
  /**
   * What stands for each property that some dataset hides or masks: its value, or what is left of it, where that is
   * shown, and null (or `[]`) elsewhere.
   */
  readonly replaced: ReadonlyMap<string, BoundNode>;
  /** Names of the hidden properties that a query of the host may read. */
  readonly computed: ReadonlySet<string>;
  /** Names of the properties that `dataset` shows. */
  readonly shownBy: (dataset: string) => readonly string[];
};

/** What each dataset shows of one property: dataset id → value. Datasets that hide it are left out. */
type ShownIn = ReadonlyMap<string, Shown>;

/**
 * @param shared whether rows that belong to no dataset are shown: they show as much as any dataset does.
 * @param computed see `ResourceRule.computed`
 */
export function narrowFields(
  entitySet: EntitySet,
  grants: Grants,
  shared: boolean,
  computed: readonly StructuralProperty[],
): Fields {
  const { type } = entitySet;
  const properties = [...type.properties.values()];
  const shownIn = new Map(
    properties.map((property) => [property.name, whatIsShown(property, type, grants, shownBy)]),
  );
  for (const property of computed)
    shownIn.set(property.name, whatIsShown(property, type, grants, shownOfComputed));
  const isShown = (name: string, dataset: string) => shownIn.get(name)?.has(dataset) === true;
  const visible = properties.filter(
    ({ name }) => isAlwaysGranted(name, type) || (shownIn.get(name)?.size ?? 0) > 0,
  );
  return {
    entitySet: { ...entitySet, type: narrowType(type, visible) },
    replaced: new Map(
      [...visible, ...computed].flatMap((property) => {
        const shown = shownIn.get(property.name) ?? new Map<string, Shown>();
        const isWholeEverywhere = shown.size === grants.size && [...shown.values()].every(isWhole);
        return isWholeEverywhere
          ? []
          : [[property.name, replacementOf(property, shown, grants.size, shared)]];
      }),
    ),
    computed: new Set(computed.map(({ name }) => name)),
    shownBy: (dataset) => visible.map(({ name }) => name).filter((name) => isShown(name, dataset)),
  };
}

/** Member by member, so without `structured`: nothing grants what lies behind a navigation or complex property. */
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

/** In each dataset what it shows, the most first. Where all of `datasets` show a value, the last needs no test. */
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
