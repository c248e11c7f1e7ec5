import { QueryError } from "../errors.ts";
import { type EntitySet, isEntityType, type StructuredType } from "../model/types.ts";
import type { ExpandItem, SelectItem } from "../syntax/items.ts";
import type { Span } from "../syntax/tree.ts";
import { computedProjection } from "./compute.ts";
import type { ComputedExpressions } from "./context.ts";
import { type Segment, segmentsOf, unknownProperty, withoutCasts } from "./path.ts";
import { type BoundNode, type Projection, propertyNode, type StructureNode } from "./tree.ts";

/** Projections of every property of a set, in the order of the model, and the place of each by name. */
type AllProjections = {
  readonly projections: readonly Projection[];
  readonly places: ReadonlyMap<string, number>;
};

const allProjections = new WeakMap<EntitySet, AllProjections>();

/**
 * Projects every property. Returns the same arrays for the same set, so that results derived from them can be cached
 * by identity.
 */
function selectAll(entitySet: EntitySet): AllProjections {
  const known = allProjections.get(entitySet);
  if (known !== undefined) return known;
  const properties = [...entitySet.type.properties.values()];
  const all = {
    projections: properties.map((property) => ({ property, expression: propertyNode(property) })),
    places: new Map(properties.map(({ name }, place) => [name, place])),
  };
  allProjections.set(entitySet, all);
  return all;
}

/** Returns the projections of the named properties. Walks the names alone: a set may have a thousand properties. */
function selectNamed(
  { projections, places }: AllProjections,
  names: Iterable<string>,
): readonly Projection[] {
  const wanted: number[] = [];
  for (const name of names) {
    const place = places.get(name);
    if (place !== undefined) wanted.push(place);
  }
  return wanted.sort((a, b) => a - b).map((place) => projections[place] as Projection);
}

const none: ComputedExpressions = new Map();

/**
 * Binds `$select`: the named properties in the order of the model, then the computed ones, then those of complex
 * values. Without `$select`, or with `*`, all properties. A property of a complex value is projected under its path,
 * `Address/City`, after the complex value itself, whose projection tells that it is not null: see
 * `nestComplexValues`.
 *
 * @param expand items of `$expand`: a navigation property that they name may be selected too, which adds nothing. Source: OData URL
 * Conventions 4.01, section 5.1.4
 * @throws {QueryError} `not_supported` for other navigation properties
 */
export function bindSelect(
  items: readonly SelectItem[] | undefined,
  entitySet: EntitySet,
  computed: ComputedExpressions = none,
  expand: readonly ExpandItem[] = [],
): readonly Projection[] {
  const own = selectAll(entitySet);
  const added = [...computed].map(([name, expression]) => computedProjection(name, expression));
  const all = added.length === 0 ? own.projections : [...own.projections, ...added];
  if (items === undefined) return all;
  const wanted = new Set<string>();
  const inComplex = new Map<string, Projection>();
  for (const item of items) {
    if (item.path[0] === "*") for (const { property } of all) wanted.add(property.name);
    else if (isExpanded(item, entitySet.type, expand)) continue;
    else selectItem(item, entitySet.type, computed, wanted, inComplex);
  }
  // A record of related ones alone is told by its key.
  if (wanted.size + inComplex.size === 0) for (const name of entitySet.type.key) wanted.add(name);
  if (wanted.size === all.length && inComplex.size === 0) return all;
  const ofComputed = added.filter(({ property }) => wanted.has(property.name));
  return [...selectNamed(own, wanted), ...ofComputed, ...inComplex.values()];
}

/** True for a navigation property that `$expand` adds. */
function isExpanded(
  { path, options }: SelectItem,
  { structured }: StructuredType,
  expand: readonly ExpandItem[],
): boolean {
  const [name = "", ...rest] = path;
  const found = structured?.get(name);
  if (found === undefined || rest.length > 0 || options !== null || !isEntityType(found.target()))
    return false;
  return expand.some(({ path: [first] }) => first === "*" || first === name);
}

function selectItem(
  item: SelectItem,
  type: StructuredType,
  computed: ComputedExpressions,
  wanted: Set<string>,
  inComplex: Map<string, Projection>,
): void {
  const [first = whole(item), ...rest] = withoutCasts(segmentsOf(item.path, item.start), type);
  const { name, span } = first;
  if (computed.has(name) || type.properties.has(name)) {
    const [below] = rest;
    if (below !== undefined) throw new QueryError("unknown_property", below.span, { name: below.name });
    wanted.add(name);
  } else {
    for (const projection of complexProjections([{ name, span }, ...rest], type, undefined, ""))
      inComplex.set(projection.property.name, projection);
  }
  if (item.options !== null)
    throw new QueryError("not_supported", item, { feature: "options inside `$select`" });
}

const whole = (item: SelectItem): Segment => ({ name: item.path.join("/"), span: item });

/** Projects what a path of complex properties leads to: one property, or all of a complex value. */
function complexProjections(
  [first, ...rest]: readonly Segment[],
  type: StructuredType,
  base: StructureNode | undefined,
  prefix: string,
): readonly Projection[] {
  if (first === undefined) return [];
  const { name, span } = first;
  const property = type.properties.get(name);
  if (property !== undefined) {
    const [below] = rest;
    if (below !== undefined) throw new QueryError("unknown_property", below.span, { name: below.name });
    const nullable = !property.collection;
    return [
      {
        property: { ...property, name: prefix + name, nullable },
        expression: propertyNode(property, base),
      },
    ];
  }
  const node = complexNode(first, rest, type, base);
  const target = node.type.structure;
  const below = withoutCasts(rest, target);
  const path = `${prefix}${name}`;
  const members =
    below.length > 0
      ? complexProjections(below, target, node, `${path}/`)
      : allMembers(target, span, structuresTo(node)).flatMap((member) =>
          complexProjections([member], target, node, `${path}/`),
        );
  return [presence(path, node), ...members];
}

/** Binds a property whose value is one complex value. */
function complexNode(
  { name, span }: Segment,
  rest: readonly Segment[],
  type: StructuredType,
  base: StructureNode | undefined,
): StructureNode {
  const structured = type.structured?.get(name);
  if (structured === undefined) throw unknownProperty(name, span, type);
  const structure = structured.target();
  if (isEntityType(structure)) {
    const select = rest.length === 0 ? "" : `($select=${rest.map((below) => below.name).join("/")})`;
    const feature = `the navigation property \`${name}\` in \`$select\` (use \`$expand=${name}${select}\`)`;
    throw new QueryError("not_supported", span, { feature });
  }
  if (structured.collection) {
    const feature = `the collection \`${name}\` of complex values in \`$select\``;
    throw new QueryError("not_supported", span, { feature });
  }
  return {
    kind: "Structure",
    type: { structure, collection: false },
    property: structured,
    ...(base === undefined ? {} : { base }),
  };
}

/** Returns the types of the complex values that a path leads through. */
const structuresTo = (node: BoundNode | undefined): readonly StructuredType[] =>
  node?.kind === "Structure" ? [...structuresTo(node.base), node.type.structure] : [];

/**
 * Returns the names of all properties of a complex value but its navigation properties.
 *
 * @throws {QueryError} `not_supported` if the complex value contains one of a type that is in `above`
 */
function allMembers(
  { properties, structured }: StructuredType,
  span: Span,
  above: readonly StructuredType[],
): readonly Segment[] {
  const complex = [...(structured?.values() ?? [])].filter(({ target }) => !isEntityType(target()));
  const again = complex.find(({ target }) => above.includes(target()));
  if (again !== undefined) {
    const feature = `the complex value in \`$select\`, which contains itself as \`${again.name}\` (name its properties),`;
    throw new QueryError("not_supported", span, { feature });
  }
  return [...properties.keys(), ...complex.map(({ name }) => name)].map((name) => ({ name, span }));
}

/** Projects that a complex value is not null. */
const presence = (name: string, expression: StructureNode): Projection => ({
  property: { name, type: "Edm.Boolean", collection: false, nullable: false },
  expression,
});
