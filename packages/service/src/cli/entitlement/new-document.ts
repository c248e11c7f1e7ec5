import { randomUUID } from "node:crypto";
import { type Entitlement, type EntitlementFault, findFaults } from "@cadastre/entitlement";
import { nearest } from "@cadastre/odata/tree";
import { trustedNames } from "../../access/demo-issuer.ts";
import type { Config } from "../../config.ts";
import { CommandRefused, printMessage, WrongUsage } from "../outcome.ts";
import type { GrantCatalog } from "./grant-catalog.ts";
import { listedNames, regionWarnings } from "./region-warnings.ts";
import {
  type EntitlementTemplate,
  entitlementTemplates,
  type TemplateName,
  templateResources,
} from "./templates.ts";

/** An entitlement before it is signed: `sign` fills in what is missing of its times and its id. */
export type DraftEntitlement = Omit<Entitlement, "iat" | "nbf" | "exp" | "jti">;

/** Choices for a document from a template, as options of a command give them. */
export type TemplateChoices = {
  readonly template: TemplateName;
  readonly customer: string;
  readonly version: number;
  /** Ids, names or datasets of systems; `all` for every one. */
  readonly systems: readonly string[];
  /** By default the whole country, so that the systems alone decide. */
  readonly regions?: readonly { readonly kind: string; readonly value: string }[] | undefined;
};

/**
 * Returns a document from a template, and warns on standard error of regions without records.
 *
 * @throws {CommandRefused} if a system or a region does not exist
 */
export async function documentOf(
  { template, customer, version, systems, regions }: TemplateChoices,
  config: Pick<Config, "trust">,
  catalog: GrantCatalog,
): Promise<DraftEntitlement> {
  const { grants }: EntitlementTemplate = entitlementTemplates[template];
  const resources = templateResources(template, catalog);
  const { issuer: iss, audience: aud } = trustedNames(config);
  const document = {
    iss,
    aud,
    sub: customer,
    ver: version,
    products: grants.products,
    channels: grants.channels,
    ...(grants.capabilities && { capabilities: grants.capabilities }),
    regions: (regions ?? [{ kind: "national", value: "US" }]) as Entitlement["regions"],
    datasets: datasetsOf(systems, catalog).map((dataset_id) => ({ dataset_id, resources })),
    ...(grants.limits && { limits: grants.limits }),
  };
  const faults = findFaults(withTimes(document), catalog.scopeOptions);
  if (faults.length > 0) throw new WrongUsage(faults.map(optionFault).join("\n"));
  for (const warning of await regionWarnings(document, catalog))
    printMessage(`Warning: ${optionFault(warning)}`);
  return document;
}

/** Placeholder for the name of a customer. */
export const placeholderCustomer = "CUSTOMER";

/** `exp` of a draft that has none. */
export const noEnd: number = Number.MAX_SAFE_INTEGER;

/** Returns a draft with the id and the times that it lacks, such that these are valid. */
export const withTimes = (document: object): object => ({
  iat: 0,
  nbf: 0,
  exp: noEnd,
  jti: randomUUID(),
  ...document,
});

function optionFault({
  path,
  message,
  allowed,
  suggestion,
}: Pick<EntitlementFault, "path" | "message" | "allowed" | "suggestion">): string {
  const option = { regions: "--regions", sub: "<customer>" }[String(path[0])] ?? path.join(".");
  const all = allowed.length === 0 ? "" : `: allowed are ${listedNames(allowed)}`;
  const similar = suggestion === undefined ? "" : `, did you mean \`${suggestion}\`?`;
  return `${option}: ${message}${similar}${all}`;
}

/** @throws {CommandRefused} names the unknown systems and all known ones */
function datasetsOf(given: readonly string[], { systems }: GrantCatalog): readonly string[] {
  if (given.length === 1 && given[0] === "all") return systems.map(({ datasetId }) => datasetId);
  const faults: string[] = [];
  const datasets = given.flatMap((text) => {
    const found = systems.find(({ id, name, datasetId }) => [id, name, datasetId].includes(text));
    if (found !== undefined) return [found.datasetId];
    const similar = nearest(
      text,
      systems.flatMap(({ id, name }) => [id, name]),
    );
    const ids = systems.map(({ id }) => id).join(", ");
    faults.push(
      `--systems: no system is called \`${text}\`${similar === undefined ? "" : `, did you mean \`${similar}\`?`}: allowed are ${ids}, and all`,
    );
    return [];
  });
  if (faults.length > 0) throw new CommandRefused(faults.join("\n"));
  return [...new Set(datasets)];
}
