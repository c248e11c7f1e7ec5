import type { DatasetGrant, Entitlement, ResourceGrant } from "@cadastre/entitlement";

/** Formats seconds since 1970 as `2026-01-31T00:00:00Z`. A number outside the range of `Date` is returned as it is. */
export function instantText(seconds: number): string {
  const at = new Date(seconds * 1000);
  return Number.isNaN(at.getTime()) ? String(seconds) : at.toISOString().replace(".000Z", "Z");
}

/**
 * Returns the content of a document as lines for a person.
 *
 * @param kid id of the key that has signed it
 */
export function describeEntitlement(document: Entitlement, kid?: string): string {
  const { iss, aud, sub, ver, iat, nbf, exp, jti, products, channels, capabilities = [] } = document;
  const { regions, datasets, limits = {} } = document;
  const facts: readonly (readonly [string, string])[] = [
    ["customer", `${sub}, version ${ver}`],
    ["document", `${jti} of ${instantText(iat)}${kid === undefined ? "" : `, key ${kid}`}`],
    ["issuer", iss],
    ["audience", aud],
    ["valid", `from ${instantText(nbf)} until ${instantText(exp)}`],
    ["products", list(products)],
    ["channels", list(Object.entries(channels).flatMap(([name, granted]) => (granted ? [name] : [])))],
    ["capabilities", list(capabilities)],
    ["regions", list(regions.map(({ kind, value }) => `${kind} ${value}`))],
    ["limits", list(Object.entries(limits).map(([name, most]) => `${name} ${most}`))],
  ];
  return [
    ...facts.map(([name, value]) => `${name.padEnd(14)}${value}`),
    ...datasets.flatMap(describeDataset),
  ].join("\n");
}

const list = (values: readonly string[]): string => values.join(", ") || "none";

const describeDataset = ({ dataset_id, resources }: DatasetGrant): readonly string[] => [
  `dataset       ${dataset_id}`,
  ...Object.entries(resources).map(([name, grant]) => `  ${name.padEnd(12)}${describeGrant(grant)}`),
];

/** Returns the fields of a grant, and its other members as JSON, so that nothing is left out. */
function describeGrant({ fields, ...rest }: ResourceGrant): string {
  const shown = fields === "*" ? "every field" : list(fields);
  const more = Object.entries<unknown>(rest).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  return [shown, ...more].join("; ");
}
