import { type Entitlement, type FieldCause, type FieldView, viewFields } from "@cadastre/entitlement";
import { type GrantCatalog, systemIdOf } from "./grant-catalog.ts";

/** A field as a document shows it in the systems of one cause. */
export type FieldExplanation = FieldView & {
  readonly resource: string;
  readonly field: string;
  readonly systems: readonly string[];
  /** Why it is so, and what would change it. */
  readonly reason: string;
};

type Facts = { readonly resource: string; readonly field: string } & Pick<FieldView, "mask" | "others">;

const list = (names: readonly string[] = []) => names.map((name) => `\`${name}\``).join(", ");

/** Sentences of the causes, each with what would change it. */
const reasons: Readonly<Record<FieldCause, (facts: Facts) => string>> = {
  dataset_not_granted: () => "the entitlement has no grant for the system: add its dataset",
  resource_not_granted: ({ resource }) =>
    `the grant of the system has no \`${resource}\`: add it to \`resources\``,
  field_not_named: ({ field }) => `the grant's \`fields\` do not name it: add \`${field}\``,
  contact_rule: ({ field }) =>
    `it is a contact field, which \`"*"\` leaves out: add \`"contact": true\`, or name \`${field}\``,
  input_hidden: ({ others }) => `it is derived from ${list(others)}, which the grant hides: grant that too`,
  always_granted: ({ resource }) => `every grant of \`${resource}\` shows it`,
  granted: () => "the grant shows it, and has no mask for it or what it is derived from",
  own_mask: ({ mask }) => `the grant has the mask \`${mask}\` for it`,
  reveals_masked: ({ others }) => `it contains ${list(others)}, which the grant masks`,
  input_masked: ({ others }) => `it is derived from ${list(others)}, which the grant masks`,
};

/** Returns how a document shows a field in each system, and why. Systems with the same cause are told together. */
export function explainField(
  document: Pick<Entitlement, "datasets">,
  resource: string,
  field: string,
  catalog: GrantCatalog,
): readonly FieldExplanation[] {
  const view = viewFields(document, catalog.scopeOptions);
  const known = new Map<string, FieldExplanation & { readonly systems: string[] }>();
  for (const { datasetId } of catalog.systems) {
    const shown = view(datasetId, resource, field);
    const key = JSON.stringify(shown);
    const explanation = known.get(key) ?? {
      ...shown,
      resource,
      field,
      systems: [],
      reason: reasons[shown.cause]({ ...shown, resource, field }),
    };
    known.set(key, explanation);
    explanation.systems.push(systemIdOf(catalog, datasetId));
  }
  return [...known.values()];
}
