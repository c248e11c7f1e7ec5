import {
  compileScope,
  type DatasetGrant,
  type Entitlement,
  type ResourceGrant,
  resourceRules,
  type Scope,
} from "@cadastre/entitlement";
import type { EntitySet } from "@cadastre/odata";
import type { Store } from "@cadastre/store";
import { systemScope } from "../../identity/system-scope.ts";
import { hasKeyOf, keysQuery } from "../../ingest/candidate-query.ts";
import type { GrantCatalog } from "./grant-catalog.ts";

/** Conditions under which a row is visible, in the order in which they are told. */
const rowConditions = ["dataset", "parent", "region", "private", "lookup"] as const;

export type RowCondition = (typeof rowConditions)[number];

/** A stored record, and whether a document shows it. */
export type RecordVisibility = {
  readonly resource: string;
  /** Datasets that have the record: one, or all of them for a record that all share. */
  readonly datasets: readonly string[];
  readonly visible: boolean;
  /** Conditions that fail, each by itself. Empty if the record is visible. */
  readonly failing: readonly RowCondition[];
};

/**
 * Tells whether a document shows a record. Every answer is a count of a query that `restrict` has narrowed: by the document's scope, or by
 * a scope that has one condition of the document and grants everything else.
 *
 * @returns undefined if the record is not stored
 */
export async function visibilityOf(
  store: Pick<Store, "count">,
  entitySet: EntitySet,
  key: string,
  document: Entitlement,
  catalog: GrantCatalog,
): Promise<RecordVisibility | undefined> {
  const { scopeOptions, systems } = catalog;
  const { name: resource } = entitySet;
  const isIn = async (scope: Scope): Promise<boolean> =>
    (await store.count(keysQuery(entitySet, scope, hasKeyOf(entitySet, [key]), 1))) > 0;
  if (!(await isIn(systemScope(catalog.catalog)))) return undefined;
  const every = everythingOf(document, catalog);
  const datasets: string[] = [];
  for (const { datasetId } of systems) {
    const within = every.datasets.filter(({ dataset_id }) => dataset_id === datasetId);
    if (await isIn(compileScope({ ...every, datasets: within }, scopeOptions))) datasets.push(datasetId);
  }
  const visible = await isIn(compileScope(document, scopeOptions));
  const failing: RowCondition[] = [];
  for (const condition of visible ? [] : rowConditions) {
    const narrowed = narrowings[condition](every, document, resource);
    if (narrowed !== undefined && !(await isIn(compileScope(narrowed, scopeOptions))))
      failing.push(condition);
  }
  return { resource, datasets, visible, failing };
}

/** Returns the document with everything that can be granted, of every system. */
function everythingOf(document: Entitlement, { systems, scopeOptions }: GrantCatalog): Entitlement {
  const ruled = scopeOptions.entitySets.flatMap(({ name }): readonly (readonly [string, ResourceGrant])[] => {
    const rule = resourceRules[name];
    if (rule === undefined) return [];
    return [[name, { fields: "*", ...(rule.privacy && { private: true }) }]];
  });
  const resources = Object.fromEntries(ruled);
  return {
    ...document,
    regions: [{ kind: "national", value: "US" }],
    datasets: systems.map(({ datasetId }) => ({ dataset_id: datasetId, resources })),
  };
}

/** Returns everything with one condition of the document. Undefined if the condition does not concern the resource. */
type Narrowing = (every: Entitlement, document: Entitlement, resource: string) => Entitlement | undefined;

const narrowings: Readonly<Record<RowCondition, Narrowing>> = {
  dataset: (every, document, resource) => withResource(every, document, resource),
  parent: (every, document, resource) => {
    const rule = resourceRules[resource];
    return rule?.by === "parent" ? withResource(every, document, rule.parent) : undefined;
  },
  region: (every, { regions }, resource) =>
    "regions" in (resourceRules[resource] ?? {}) ? { ...every, regions } : undefined,
  private: (every, document, resource) =>
    resourceRules[resource]?.privacy === undefined
      ? undefined
      : changeGrants(every, ({ dataset_id, resources }) => ({
          ...resources,
          [resource]: { fields: "*", ...privateOf(document, dataset_id, resource) },
        })),
  lookup: (every, document, resource) =>
    resourceRules[resource]?.by === "lookup"
      ? changeGrants(every, ({ dataset_id, resources: { [resource]: grant } }) => ({
          ...resourcesOf(document, dataset_id),
          ...(grant && { [resource]: grant }),
        }))
      : undefined,
};

/** Returns everything, but the resource only in datasets in which the document grants it. */
const withResource = (every: Entitlement, document: Entitlement, resource: string): Entitlement =>
  changeGrants(every, ({ dataset_id, resources: { [resource]: grant, ...others } }) =>
    grant !== undefined && resourcesOf(document, dataset_id)[resource] !== undefined
      ? { ...others, [resource]: grant }
      : others,
  );

const resourcesOf = ({ datasets }: Entitlement, dataset: string): DatasetGrant["resources"] =>
  datasets.find(({ dataset_id }) => dataset_id === dataset)?.resources ?? {};

const privateOf = (document: Entitlement, dataset: string, resource: string) =>
  resourcesOf(document, dataset)[resource]?.private === true ? ({ private: true } as const) : {};

const changeGrants = (
  every: Entitlement,
  change: (grant: DatasetGrant) => DatasetGrant["resources"],
): Entitlement => ({
  ...every,
  datasets: every.datasets.map((grant) => ({ dataset_id: grant.dataset_id, resources: change(grant) })),
});
