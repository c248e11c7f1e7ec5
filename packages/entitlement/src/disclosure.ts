import type { StructuralProperty } from "@cadastre/odata";
import type { Entitlement } from "./document.ts";
import { collectGrants, type Grant } from "./grants.ts";
import { grantableOf, type ScopeOptions } from "./scope.ts";

/** A granted field whose values reveal, in the same dataset, those of masked fields. */
export type Disclosure = {
  readonly dataset: string;
  readonly resource: string;
  readonly field: string;
  /** The masked fields that it reveals, as `Resource/Field`. */
  readonly masked: readonly string[];
  /**
   * True if the field only may mention the masked values (`mayReveal`): it is shown, and the issuer decides. False if it contains
   * them (`reveals`): it reads null.
   */
  readonly shown: boolean;
};

/**
 * Returns the granted fields that reveal what the document's masks hide, by `reveals` and `mayReveal` of their properties. A field that
 * the document masks with `null` or rounds reveals nothing.
 *
 * @throws {EntitlementError} those of `compileScope`
 */
export function findDisclosures(
  { datasets }: Pick<Entitlement, "datasets">,
  options: ScopeOptions,
): readonly Disclosure[] {
  const grantable = grantableOf(options);
  const grants = collectGrants(datasets, grantable);
  return datasets.flatMap(({ dataset_id: dataset, resources }) => {
    const masked = new Set(
      Object.entries(resources).flatMap(([resource, { masks = {} }]) =>
        Object.keys(masks).map((name) => `${resource}/${name}`),
      ),
    );
    return Object.entries(resources).flatMap(([resource, { masks = {} }]) => {
      const { properties } = grantable(resource).entitySet.type;
      const grant = grants.get(resource)?.get(dataset);
      return [...(grant?.fields ?? [])].flatMap((field): readonly Disclosure[] => {
        const property = properties.get(field);
        if (grant === undefined || property === undefined || masks[field] === "null") return [];
        const shown = grant.masks.get(field) !== "null";
        const told = (shown ? mentions(property, grant) : (property.reveals ?? []))
          .map((name) => (name.includes("/") ? name : `${resource}/${name}`))
          .filter((path) => masked.has(path));
        return told.length === 0 ? [] : [{ dataset, resource, field, masked: told, shown }];
      });
    });
  });
}

/** Returns the fields that the shown values of a property may mention. A truncated text may still mention them. */
const mentions = ({ name, mayReveal = [] }: StructuralProperty, { masks }: Grant): readonly string[] =>
  masks.get(name)?.startsWith("round") === true ? [] : mayReveal;
