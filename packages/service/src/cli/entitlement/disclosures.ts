import { type Disclosure, type Entitlement, findDisclosures } from "@cadastre/entitlement";
import { scopeOptions } from "../../catalog.ts";

/** A field that reveals masked ones, with all datasets where it does. */
type FieldDisclosure = Omit<Disclosure, "dataset"> & { readonly datasets: readonly string[] };

/** Returns the granted fields of a document that reveal its masked fields. */
export function fieldDisclosures(document: Pick<Entitlement, "datasets">): readonly FieldDisclosure[] {
  const found = new Map<string, FieldDisclosure>();
  for (const { dataset, ...field } of findDisclosures(document, { entitySets: scopeOptions.entitySets })) {
    const name = JSON.stringify(field);
    found.set(name, { ...field, datasets: [...(found.get(name)?.datasets ?? []), dataset] });
  }
  return [...found.values()];
}

/** Returns a sentence for the issuer: what is revealed, and what to do. */
export function disclosureText({ resource, field, masked, shown, datasets }: FieldDisclosure): string {
  const names = masked.map((path) => `\`${path}\``).join(", ");
  const where = `in ${datasets.length === 1 ? "dataset" : "datasets"} ${datasets.join(", ")}`;
  return shown
    ? `Warning: \`${resource}/${field}\` is shown and may reveal the masked ${names} ${where}. Mask it with \`null\`, or leave it out of \`fields\`.`
    : `Note: \`${resource}/${field}\` will read null ${where}: it contains the masked ${names}.`;
}
