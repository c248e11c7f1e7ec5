import type { BoundNode, EntitySet } from "@cadastre/odata";
import { allOf, constant } from "@cadastre/odata/tree";
import type { Region } from "./document.ts";
import { narrowFields, type VisibleFields } from "./fields.ts";
import type { Grants } from "./grants.ts";
import { visibleLookups } from "./lookups.ts";
import { isOneOf } from "./predicate.ts";
import { openRows } from "./privacy.ts";
import { inRegions } from "./regions.ts";
import {
  datasetProperty,
  hiddenProperties,
  type ResourceRule,
  type ResourceRules,
  ruleOf,
} from "./resources/index.ts";

/** One resource as a caller sees it. */
export type VisibleResource = VisibleFields & {
  /** Predicate of the rows that are shown. */
  readonly rows: BoundNode;
  /** True if the resource has a rule and a grant, even if no row passes `rows`. */
  readonly visible: boolean;
  /** True if there is a rule for its rows. */
  readonly restricted: boolean;
};

export type Compilation = {
  readonly entitySets: readonly EntitySet[];
  /** Grants by resource. */
  readonly grants: ReadonlyMap<string, Grants>;
  readonly regions: readonly Region[];
  readonly rules: ResourceRules;
};

const noGrant: Grants = new Map();

/** Restricts each entity set to what is granted of it, by name. */
export function narrowResources(compilation: Compilation): ReadonlyMap<string, VisibleResource> {
  const { entitySets, grants, rules } = compilation;
  const granted = entitySets.map((entitySet) => {
    const rule = ruleOf(entitySet.name, rules);
    const ofSet = grants.get(entitySet.name) ?? noGrant;
    const fields = narrowFields(entitySet, ofSet, rule?.by === "lookup", rule?.hostReadable ?? []);
    return { entitySet, rule, fields, visible: rule !== undefined && grants.has(entitySet.name) };
  });
  const visibleFields = granted.filter(({ visible }) => visible).map(({ fields }) => fields);
  return new Map(
    granted.map(({ entitySet, rule, fields, visible }) => {
      const rows =
        rule === undefined || !visible
          ? constant(false)
          : every(
              rowsByRule(entitySet, rule, visibleFields, compilation),
              openRows(entitySet, rule, grants.get(entitySet.name) ?? noGrant),
            );
      return [entitySet.name, { ...fields, rows, visible, restricted: rule !== undefined }];
    }),
  );
}

/** Returns the predicate of the rows that a rule opens: by dataset, region, parent or lookup. Privacy rules are not in it. */
function rowsByRule(
  { name, type }: EntitySet,
  rule: ResourceRule,
  visibleFields: readonly VisibleFields[],
  { grants, regions }: Compilation,
): BoundNode {
  const datasetsOf = (resource: string) => [...(grants.get(resource) ?? noGrant).keys()];
  const find = (property: string) => type.properties.get(property) ?? hiddenProperties.get(property);
  const isGranted = isOneOf(datasetProperty, datasetsOf(name));
  switch (rule.by) {
    case "dataset":
      return isGranted;
    case "region":
      return every(isGranted, inRegions(regions, rule.regions, find));
    case "parent": {
      const dataset = find(rule.dataset);
      const isParentDatasetGranted =
        dataset === undefined ? constant(false) : isOneOf(dataset, datasetsOf(rule.parent));
      return every(isGranted, isParentDatasetGranted, inRegions(regions, rule.regions, find));
    }
    case "lookup": {
      const lookupName = find(rule.lookupName);
      return lookupName === undefined
        ? constant(false)
        : visibleLookups(lookupName, datasetsOf(name), visibleFields);
    }
  }
}

/** Like {@link allOf}, but `false` if any operand is `false`. */
const every = (...operands: readonly BoundNode[]): BoundNode =>
  operands.some((operand) => operand.kind === "Constant" && operand.value === false)
    ? constant(false)
    : allOf(...operands);
