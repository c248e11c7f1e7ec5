import { createHash } from "node:crypto";
import type { BoundNode, EntitySet } from "@cadastre/odata";
import { constant } from "@cadastre/odata/tree";
import { canonicalJson } from "./canonical.ts";
import type {
  Capability,
  Channel,
  DatasetGrant,
  Entitlement,
  EntitlementLimits,
  Product,
  Region,
} from "./document.ts";
import { EntitlementError } from "./errors.ts";
import { collectGrants, type Grantable, type Grants, grantsInOrder, idsOf } from "./grants.ts";
import { hiddenProperties, type ResourceRules, resourceRules, ruleOf } from "./resources/index.ts";
import { narrowResources, type VisibleResource } from "./rows.ts";

/** A brand without a value: only {@link compileScope} creates a {@link Scope}, and a copy of one is not one. */
declare class Compiled {
  private readonly compiled: true;
}

/** The data that one customer may see. It is compiled once per entitlement. */
export type Scope = Compiled & {
  readonly customer: string;
  readonly version: number;
  /** Time at which the entitlement was issued, in seconds since 1970. */
  readonly issuedAt: number;
  readonly products: readonly Product[];
  readonly channels: Readonly<Record<Channel, boolean>>;
  readonly capabilities: readonly Capability[];
  readonly regions: readonly Region[];
  readonly datasets: readonly DatasetGrant[];
  readonly limits: EntitlementLimits;
  /**
   * SHA-256, in lower-case hexadecimal, of what is granted, in canonical order: products, channels, capabilities, regions, and the
   * fields, masks and policies of every dataset. It does not depend on the customer and the period of validity.
   */
  readonly scopeSha256: string;
  /** Returns the predicate for visible rows of the entity set. `false` without a grant, and for an unknown set. */
  rows(entitySetName: string): BoundNode;
  /** True if at least one dataset grants the entity set. */
  visible(entitySetName: string): boolean;
  /** True if there is a rule for the rows of the entity set. Without a rule no row is visible, so testing them proves nothing. */
  restricts(entitySetName: string): boolean;
};

export type ScopeOptions = {
  /** All entity sets that a grant may name, including those that are not served. */
  readonly entitySets: readonly EntitySet[];
  /** Ids of all existing datasets. Without them, a grant of any dataset is accepted. */
  readonly datasets?: ReadonlySet<string>;
  /** Datasets of the fields that only one dataset has, by resource and field. `*` grants such a field only together with its dataset. */
  readonly localFields?: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** Rules for the resources; by default {@link resourceRules}. */
  readonly rules?: ResourceRules;
};

const resourcesOf = new WeakMap<Scope, ReadonlyMap<string, VisibleResource>>();

/** Arguments that each scope was compiled from. */
const origins = new WeakMap<Scope, readonly [entitlement: Entitlement, options: ScopeOptions]>();

/**
 * Compiles a verified entitlement into a scope.
 *
 * @throws {EntitlementError} if a grant names an unknown dataset, resource, field or policy, or has a mask that does not fit. The
 * meaning of the grant is unknown then, so nothing of the document is trusted
 */
export const compileScope = (entitlement: Entitlement, options: ScopeOptions): Scope =>
  compileGranted(entitlement, options, idsOf(entitlement.datasets));

/** @param granted datasets that the whole entitlement grants */
function compileGranted(
  entitlement: Entitlement,
  options: ScopeOptions,
  granted: ReadonlySet<string>,
): Scope {
  const { entitySets, datasets: known, rules = resourceRules } = options;
  refuseUnknownDatasets(entitlement.datasets, known);
  for (const entitySet of entitySets) refuseHiddenNames(entitySet);
  const grants = collectGrants(entitlement.datasets, grantableOf(options), granted);
  const resources = narrowResources({ entitySets, grants, regions: entitlement.regions, rules });
  const {
    sub,
    ver,
    iat,
    products,
    channels,
    capabilities = [],
    regions,
    datasets,
    limits = {},
  } = entitlement;
  const scope = Object.freeze({
    customer: sub,
    version: ver,
    issuedAt: iat,
    products,
    channels,
    capabilities,
    regions,
    datasets,
    limits,
    scopeSha256: hashScope(entitlement, grants),
    rows: (name: string) => resources.get(name)?.rows ?? constant(false),
    visible: (name: string) => resources.get(name)?.visible ?? false,
    restricts: (name: string) => resources.get(name)?.restricted ?? false,
  } satisfies Omit<Scope, "compiled">) as Scope;
  resourcesOf.set(scope, resources);
  origins.set(scope, [entitlement, options]);
  return scope;
}

/**
 * Returns a function that looks up a resource and its rule, for grants that name it.
 *
 * @throws {EntitlementError} `entitlement_unknown_resource`
 */
export function grantableOf({ entitySets, rules = resourceRules, localFields }: ScopeOptions) {
  const sets = new Map(entitySets.map((entitySet) => [entitySet.name, entitySet]));
  return (resource: string): Grantable => {
    const entitySet = sets.get(resource);
    if (entitySet === undefined) throw new EntitlementError("entitlement_unknown_resource", { resource });
    const local = localFields?.get(resource);
    return {
      entitySet,
      rule: ruleOf(resource, rules),
      ...(local && { datasetOf: (field) => local.get(field) }),
    };
  };
}

const withinDatasets = new WeakMap<Scope, Map<string, Scope>>();

/** Returns the part of a scope that one dataset grants; it shows no rows if the scope does not grant the dataset. The result is cached. */
export function scopeWithin(scope: Scope, dataset: string): Scope {
  const origin = origins.get(scope);
  if (origin === undefined) throw new TypeError("the scope was not compiled");
  const known = withinDatasets.get(scope) ?? new Map<string, Scope>();
  withinDatasets.set(scope, known);
  const [entitlement, options] = origin;
  const datasets = entitlement.datasets.filter(({ dataset_id }) => dataset_id === dataset);
  const granted = idsOf(entitlement.datasets);
  const within = known.get(dataset) ?? compileGranted({ ...entitlement, datasets }, options, granted);
  known.set(dataset, within);
  return within;
}

/** True if every dataset of the scope that grants the entity set shows the property unmasked. */
export function showsWhole({ name }: EntitySet, scope: Scope, property: string): boolean {
  const { entitySet, replaced } = resourceOf({ name }, scope);
  return entitySet.type.properties.has(property) && !replaced.has(property);
}

/**
 * Returns the entity set without the properties that no dataset shows. Bind queries against it and describe it in `$metadata`, so that a
 * hidden property is an unknown one. Returns the same object for the same scope, whichever form of the set is given.
 */
export const visibleEntitySet = (entitySet: EntitySet, scope: Scope): EntitySet =>
  resourceOf(entitySet, scope).entitySet;

/** Returns the compiled resource. @throws {TypeError} if the scope was not compiled with the entity set, or not compiled at all */
export function resourceOf({ name }: Pick<EntitySet, "name">, scope: Scope): VisibleResource {
  const resource = resourcesOf.get(scope)?.get(name);
  if (resource === undefined)
    throw new TypeError(`the scope was compiled without the entity set \`${name}\``);
  return resource;
}

/** @throws {EntitlementError} `channel_not_entitled` */
export function requireChannel(scope: Scope, channel: Channel): void {
  if (scope.channels[channel] !== true) throw new EntitlementError("channel_not_entitled", { channel });
}

/** @throws {EntitlementError} `capability_required` */
export function requireCapability(scope: Scope, capability: Capability): void {
  if (!scope.capabilities.includes(capability))
    throw new EntitlementError("capability_required", { capability });
}

function refuseHiddenNames({ name, type }: EntitySet): void {
  const taken = [...hiddenProperties.keys()].find((hidden) => type.properties.has(hidden));
  if (taken !== undefined)
    throw new TypeError(`the entity set \`${name}\` may not have a property \`${taken}\``);
}

function refuseUnknownDatasets(
  datasets: readonly DatasetGrant[],
  known: ReadonlySet<string> | undefined,
): void {
  const unknown = datasets.findIndex(({ dataset_id }) => known?.has(dataset_id) === false);
  if (unknown !== -1)
    throw new EntitlementError("entitlement_unknown_dataset", { path: `datasets.${unknown}.dataset_id` });
}

function hashScope(entitlement: Entitlement, grants: ReadonlyMap<string, Grants>): string {
  const { products, channels, capabilities = [], regions } = entitlement;
  const sorted = (values: Iterable<string>) => [...new Set(values)].toSorted();
  const members = {
    products: sorted(products),
    channels,
    capabilities: sorted(capabilities),
    regions: sorted(regions.map(({ kind, value }) => `${kind}:${value}`)),
    grants: grantsInOrder(grants),
  };
  return createHash("sha256").update(canonicalJson(members)).digest("hex");
}
