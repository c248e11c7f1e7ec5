import type { Entitlement } from "./document.ts";
import { collectGrants } from "./grants.ts";
import type { Mask } from "./mask.ts";
import { isAlwaysGranted } from "./resources/index.ts";
import { grantableOf, type ScopeOptions } from "./scope.ts";
import { isUnmasked, shownBy } from "./shown.ts";

/** Form in which a field is shown: with its values, with a part of them, with null in every row, or not at all. */
export type FieldOutcome = "shown" | "masked" | "null" | "hidden";

/** Causes of a field's outcome in a dataset. */
export type FieldCause =
  /** The document does not grant the dataset. */
  | "dataset_not_granted"
  /** It does not grant the resource in this dataset. */
  | "resource_not_granted"
  /** The list of fields lacks the name. */
  | "field_not_named"
  /** A contact field, which `*` leaves out. */
  | "contact_rule"
  /** Derived from a field that is hidden. */
  | "input_hidden"
  /** The key, or a field without which records cannot be told apart. */
  | "always_granted"
  | "granted"
  /** The field has a mask. */
  | "own_mask"
  /** It contains the value of a field that has a mask. */
  | "reveals_masked"
  /** Derived from a field that has a mask. */
  | "input_masked";

/** One field as an entitlement shows it in one dataset, and why. */
export type FieldView = {
  readonly outcome: FieldOutcome;
  readonly cause: FieldCause;
  readonly mask?: Mask;
  /** Names of the other fields that the cause is about. */
  readonly others?: readonly string[];
};

/** @throws {RangeError} if the resource has no such field */
export type ViewField = (dataset: string, resource: string, field: string) => FieldView;

/**
 * Returns a function that tells how a document shows a field, and why.
 *
 * @throws {EntitlementError} those of `compileScope`
 */
export function viewFields({ datasets }: Pick<Entitlement, "datasets">, options: ScopeOptions): ViewField {
  const grantable = grantableOf(options);
  const grants = collectGrants(datasets, grantable);
  return (dataset, resource, field) => {
    const { entitySet, rule } = grantable(resource);
    const { type } = entitySet;
    const property = type.properties.get(field);
    if (property === undefined) throw new RangeError(`\`${resource}\` has no field \`${field}\``);
    const given = datasets.find(({ dataset_id }) => dataset_id === dataset)?.resources;
    if (given === undefined) return { outcome: "hidden", cause: "dataset_not_granted" };
    const grant = grants.get(resource)?.get(dataset);
    const own = given[resource];
    if (grant === undefined || own === undefined) return { outcome: "hidden", cause: "resource_not_granted" };
    if (isAlwaysGranted(field, type)) return { outcome: "shown", cause: "always_granted" };
    if (!grant.fields.has(field)) {
      const isLeftOut = own.fields === "*" && rule?.contact?.includes(field) === true;
      return { outcome: "hidden", cause: isLeftOut ? "contact_rule" : "field_not_named" };
    }
    const inputs = (property.derivedFrom ?? []).map((name) => {
      const input = type.properties.get(name);
      return { name, shown: input && shownBy(grant, input, type) };
    });
    const shown = shownBy(grant, property, type);
    if (shown === undefined) {
      const others = inputs.flatMap((input) => (input.shown === undefined ? [input.name] : []));
      return { outcome: "hidden", cause: "input_hidden", others };
    }
    if (isUnmasked(shown)) return { outcome: "shown", cause: "granted" };
    const outcome = shown.value === null ? "null" : "masked";
    const ownMask = own.masks?.[field];
    if (grant.masks.get(field) !== ownMask) {
      const others = (property.reveals ?? []).filter((name) => grant.masks.has(name));
      return { outcome, cause: "reveals_masked", others };
    }
    if (ownMask !== undefined) return { outcome, cause: "own_mask", mask: ownMask };
    const others = inputs.flatMap((input) =>
      input.shown !== undefined && !isUnmasked(input.shown) ? [input.name] : [],
    );
    return { outcome, cause: "input_masked", others };
  };
}
