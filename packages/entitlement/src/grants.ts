import type { EntitySet, EntityType } from "@cadastre/odata";
import type { DatasetGrant, ResourceGrant } from "./document.ts";
import { EntitlementError, type EntitlementErrorCode } from "./errors.ts";
import { fitsMask, leftBy, type Mask, masksFor } from "./mask.ts";
import { isAlwaysGranted, type ResourceRule } from "./resources/index.ts";

/** The union of all grants of one resource in one dataset. */
export type Grant = {
  /** Names of the granted fields, masked ones included. */
  readonly fields: ReadonlySet<string>;
  /** The strictest mask of each field; `null` for a field that reveals a masked one. */
  readonly masks: ReadonlyMap<string, Mask>;
  /** True if private rows are granted. */
  readonly private: boolean;
};

/** Grants by dataset id, in order of the ids. */
export type Grants = ReadonlyMap<string, Grant>;

/** A resource that grants may name, its rule, and the fields that only one dataset has. */
export type Grantable = {
  readonly entitySet: EntitySet;
  readonly rule: ResourceRule | undefined;
  /** Returns the dataset that alone has a field; undefined if all have it. */
  readonly datasetOf?: (field: string) => string | undefined;
};

/**
 * Returns the grants of each resource by dataset. The result does not depend on the order of the document.
 *
 * @param granted datasets of the whole document: `*` includes the fields that only one of them has, and not those of other datasets, so that
 * nobody learns of a system that he is not granted
 * @throws {EntitlementError} if a grant names something that its resource does not have, or has a mask that does not fit
 */
export function collectGrants(
  datasets: readonly DatasetGrant[],
  grantable: (resource: string) => Grantable,
  granted: ReadonlySet<string> = idsOf(datasets),
): ReadonlyMap<string, Grants> {
  const given = collectGiven(datasets, grantable, granted);
  return new Map(
    [...given].map(([resource, ofResource]) => {
      const { type } = grantable(resource).entitySet;
      return [
        resource,
        new Map([...ofResource].map(([dataset, grant]) => [dataset, withRevealing(grant, type)])),
      ];
    }),
  );
}

/** Collects the grants as the document states them, before fields that reveal masked ones are masked. */
function collectGiven(
  datasets: readonly DatasetGrant[],
  grantable: (resource: string) => Grantable,
  granted: ReadonlySet<string>,
): ReadonlyMap<string, Grants> {
  const grants = new Map<string, Map<string, Grant>>();
  for (const { dataset_id, resources } of datasets.toSorted((a, b) =>
    a.dataset_id < b.dataset_id ? -1 : 1,
  )) {
    for (const [resource, given] of Object.entries(resources)) {
      const grant = readGrant(given, grantable(resource), granted);
      const ofResource = grants.get(resource) ?? new Map<string, Grant>();
      const before = ofResource.get(dataset_id);
      grants.set(resource, ofResource.set(dataset_id, before === undefined ? grant : both(before, grant)));
    }
  }
  return grants;
}

/** Returns the ids of all datasets that a document grants. */
export const idsOf = (datasets: readonly DatasetGrant[]): ReadonlySet<string> =>
  new Set(datasets.map(({ dataset_id }) => dataset_id));

/** A fault of one grant. */
export type GrantFault = {
  readonly error: EntitlementError;
  /** Path of the member within the grant. */
  readonly path: readonly (string | number)[];
  /** Returns the values that are allowed there, names of fields as `names`. */
  readonly allowed: () => { readonly names?: readonly string[]; readonly values?: readonly string[] };
};

/** Yields the faults of a grant whose form is valid, against the model. */
export function* grantFaults(
  given: ResourceGrant,
  grantable: Grantable,
  granted: ReadonlySet<string>,
): Generator<GrantFault, void> {
  const { entitySet, rule } = grantable;
  const { name: resource, type } = entitySet;
  const all = [...type.properties.keys()];
  const leftOut = () => ({ values: ["left out"] });
  for (const [policy, has] of [
    ["contact", (rule?.contact ?? []).length > 0],
    ["private", rule?.privacy !== undefined],
  ] as const) {
    if (given[policy] === true && !has) {
      const error = new EntitlementError("entitlement_unknown_policy", { resource, policy });
      yield { error, path: [policy], allowed: leftOut };
    }
  }
  const named = given.fields === "*" ? [] : given.fields;
  for (const [i, field] of named.entries()) {
    if (type.properties.has(field)) continue;
    const error = new EntitlementError("entitlement_unknown_field", { resource, field });
    yield { error, path: ["fields", i], allowed: () => ({ names: all }) };
  }
  const fields = grantedFields(given, grantable, granted);
  for (const [field, mask] of Object.entries(given.masks ?? {})) {
    const fault = maskFault(field, mask, fields, entitySet);
    if (fault !== undefined) yield { path: ["masks", field], ...fault };
  }
}

function readGrant(given: ResourceGrant, grantable: Grantable, granted: ReadonlySet<string>): Grant {
  const [fault] = grantFaults(given, grantable, granted);
  if (fault !== undefined) throw fault.error;
  return {
    fields: grantedFields(given, grantable, granted),
    masks: new Map(Object.entries(given.masks ?? {})),
    private: given.private === true,
  };
}

/** Returns the fields that a grant names, `*` and contact fields written out. */
function grantedFields(
  { fields, contact }: ResourceGrant,
  { entitySet: { type }, rule, datasetOf }: Grantable,
  granted: ReadonlySet<string>,
): ReadonlySet<string> {
  const contactFields = rule?.contact ?? [];
  const all = [...type.properties.keys()];
  const isGeneral = (field: string) => {
    const dataset = datasetOf?.(field);
    return !contactFields.includes(field) && (dataset === undefined || granted.has(dataset));
  };
  const named = fields === "*" ? all.filter(isGeneral) : fields;
  return new Set([
    ...named,
    ...(contact === true ? all.filter((field) => contactFields.includes(field)) : []),
  ]);
}

function maskFault(
  field: string,
  mask: Mask,
  granted: ReadonlySet<string>,
  { name: resource, type }: EntitySet,
): Omit<GrantFault, "path"> | undefined {
  const property = type.properties.get(field);
  const names = { resource, field };
  const maskable = () => ({ names: [...granted].filter((name) => !isAlwaysGranted(name, type)) });
  const fault = (code: EntitlementErrorCode, allowed: GrantFault["allowed"] = maskable) => ({
    error: new EntitlementError(code, names),
    allowed,
  });
  if (property === undefined) return fault("entitlement_mask_unknown_field");
  if (isAlwaysGranted(field, type)) return fault("entitlement_mask_required_field");
  if (!granted.has(field)) return fault("entitlement_mask_ungranted_field");
  if (!fitsMask(mask, property))
    return fault("entitlement_mask_misfit", () => ({ values: masksFor(property) }));
  return undefined;
}

/** Unites two grants: fields and rows of both, but the stricter mask of each field. */
function both(one: Grant, other: Grant): Grant {
  const masks = new Map(one.masks);
  for (const [field, mask] of other.masks) {
    const before = masks.get(field);
    masks.set(field, before !== undefined && leftBy(before) < leftBy(mask) ? before : mask);
  }
  return {
    fields: new Set([...one.fields, ...other.fields]),
    masks,
    private: one.private || other.private,
  };
}

/** Returns the grants in canonical order, so that equal grants have equal JSON. */
export const grantsInOrder = (grants: ReadonlyMap<string, Grants>): unknown =>
  [...grants]
    .map(([resource, ofDatasets]) => ({
      resource,
      datasets: [...ofDatasets].map(([dataset, { fields, masks, private: seesPrivate }]) => ({
        dataset,
        fields: [...fields].toSorted(),
        masks: Object.fromEntries(masks),
        private: seesPrivate,
      })),
    }))
    .toSorted((a, b) => (a.resource < b.resource ? -1 : 1));

/**
 * Masks with `null` every granted field that reveals a masked one, whatever its own mask. For example, a mask of `PostalCode` also masks
 * `UnparsedAddress`, which contains it. The grant must be the union of all grants of a dataset, so that a mask in one also counts for
 * fields of another.
 */
function withRevealing(grant: Grant, type: EntityType): Grant {
  const masks = new Map<string, Mask>(grant.masks);
  // The loop also visits names that it adds, so revealing is transitive.
  for (const masked of masks.keys()) for (const name of revealing(masked, type)) masks.set(name, "null");
  return { ...grant, masks: new Map([...masks].filter(([name]) => grant.fields.has(name))) };
}

const revealing = (masked: string, type: EntityType): readonly string[] =>
  [...type.properties.values()].flatMap(({ name, reveals = [] }) =>
    reveals.includes(masked) && !isAlwaysGranted(name, type) ? [name] : [],
  );
