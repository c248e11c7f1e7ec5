import { type Disclosure, type Entitlement, findDisclosures } from "@cadastre/entitlement";
import { scopeOptions } from "../../catalog.ts";

/** A field that tells masked ones, in all the datasets where it does. */
type FieldDisclosure = Omit<Disclosure, "dataset"> & { readonly datasets: readonly string[] };

/** What the fields that a document grants tell of those that it masks. */
export function fieldDisclosures(document: Pick<Entitlement, "datasets">): readonly FieldDisclosure[] {
  const found = new Map<string, FieldDisclosure>();
  for (const { dataset, ...field } of findDisclosures(document, { entitySets: scopeOptions.entitySets })) {
    const name = JSON.stringify(field);
    found.set(name, { ...field, datasets: [...(found.get(name)?.datasets ?? []), dataset] });
  }
  return [...found.values()];
}

/** Says what is told, and what to do: a sentence for a person. */
export function disclosureText({ resource, field, masked, shown, datasets }: FieldDisclosure): string {
  const names = masked.map((path) => `\`${path}\``).join(", ");
  const where = `in ${datasets.length === 1 ? "dataset" : "datasets"} ${datasets.join(", ")}`;
  return shown
    ? `Warning: \`${resource}/${field}\` is shown and may tell the masked ${names} ${where}. Mask it with \`null\`, or name the \`fields\` without it.`
    : `Note: \`${resource}/${field}\` will read null ${where}: it holds the masked ${names}.`;
}
