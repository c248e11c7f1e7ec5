import type { StructuralProperty } from "@cadastre/odata";
import type { Entitlement } from "./document.ts";
import { collectGrants, type Grant } from "./grants.ts";
import { grantableOf, type ScopeOptions } from "./scope.ts";

/** A field whose values tell, in the same dataset, those of fields that are masked. */
export type Disclosure = {
  readonly dataset: string;
  readonly resource: string;
  readonly field: string;
  /** The masked fields that it tells, as `Resource/Field`. */
  readonly masked: readonly string[];
  /**
   * True if it is shown all the same: it may mention the masked values, and whoever grants it decides. False if it reads null: it
   * holds them for certain.
   */
  readonly shown: boolean;
};

/**
 * Returns the granted fields that tell what the document's masks hide, by `reveals` and `mayReveal` of their properties. A field that
 * the document itself masks with `null` tells nothing, nor does a rounded number.
 *
 * @throws {EntitlementError} as `compileScope` does.
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

/** What the shown values of a property may mention. A text that is cut short may still do so. */
const mentions = ({ name, mayReveal = [] }: StructuralProperty, { masks }: Grant): readonly string[] =>
  masks.get(name)?.startsWith("round") === true ? [] : mayReveal;
