import type { Scope } from "@cadastre/entitlement";
import { domainTable, mainDataset } from "@cadastre/manifest";
import { QueryError } from "@cadastre/odata";
import { DeliveryError } from "../errors.ts";
import type { ExportSource } from "../source/export-source.ts";
import { choiceOf, deliveredDatasets, type OutputProfile, profileOf } from "./profile.ts";

/** Records and fields that a request asks for within a profile. */
export type Narrowing = {
  /** Condition on the records of the domain's main dataset, in the language of `$filter`. */
  readonly filter?: string | undefined;
  /** Names of fields of the domain's main dataset. The key is always among them. */
  readonly select?: readonly string[] | undefined;
};

/**
 * Returns a profile with the filter and the selected fields of a request. Its document, and so its hash, states both. Requests for the same
 * fields in another order have the same profile.
 */
export function narrowedProfile(profile: OutputProfile, { filter, select }: Narrowing): OutputProfile {
  if (filter === undefined && select === undefined) return profile;
  return profileOf({
    ...choiceOf(profile),
    ...(filter === undefined ? {} : { filter }),
    ...(select === undefined ? {} : { fields: selectedFields(profile, select) }),
  });
}

function selectedFields(
  { domain, fields }: OutputProfile,
  select: readonly string[],
): OutputProfile["fields"] {
  const { name: main, keyField } = mainDataset(domain);
  const all =
    fields === "*"
      ? domainTable[domain].datasets.map(({ name }) => [name, "*"] as const)
      : Object.entries(fields);
  const names = [...new Set([keyField, ...select])].sort();
  return Object.fromEntries(all.map(([name, own]) => [name, name === main ? names : own]));
}

type Binder = Pick<ExportSource, "bindFilter" | "columns">;

/**
 * Returns the profile of a request, narrowed as it asks.
 *
 * @throws {DeliveryError} `invalid_select`, `filter_not_available`, `entitlement_denied`
 * @throws {QueryError} for a filter, with the place of the fault
 */
export function requireNarrowed(
  source: Binder,
  scope: Scope,
  profile: OutputProfile,
  narrowing: Narrowing,
): OutputProfile {
  const { filter, select } = narrowing;
  if (select !== undefined) requireFields(source, scope, profile, select);
  if (filter !== undefined) bindingOf(source, scope, { ...profile, filter });
  return narrowedProfile(profile, narrowing);
}

/** @throws {DeliveryError} `invalid_select` */
function requireFields(
  source: Binder,
  scope: Scope,
  profile: OutputProfile,
  select: readonly string[],
): void {
  const main = mainDataset(profile.domain).name;
  const dataset = deliveredDatasets(source, scope, profile).find(({ name }) => name === main);
  const known = new Set(dataset?.columns.map(({ name }) => name));
  if (select.length === 0) throw new DeliveryError("invalid_select", "it names none");
  const at = select.findIndex((name) => !known.has(name));
  if (at >= 0)
    throw new DeliveryError("invalid_select", "there is no such field", { target: `select.${at}` });
}

/**
 * Returns a text that identifies the properties which a profile's filter names; undefined without a filter.
 *
 * @throws {DeliveryError} `filter_not_available`, `entitlement_denied`
 * @throws {QueryError}
 */
function bindingOf(
  source: Binder,
  scope: Scope,
  { domain, filter }: Pick<OutputProfile, "domain" | "filter">,
): string | undefined {
  if (filter === undefined) return undefined;
  const { name } = mainDataset(domain);
  if (source.columns(name, scope) === undefined) throw new DeliveryError("entitlement_denied");
  const basis = source.bindFilter?.(name, scope, filter);
  if (basis === undefined) throw new DeliveryError("filter_not_available");
  return basis;
}

/**
 * Returns what a profile's filter is bound to, for a delivery that is built after its request: undefined without a filter.
 *
 * @throws {DeliveryError} `filter_outdated` if it can no longer be bound
 */
export function requireBound(
  source: Binder,
  scope: Scope,
  profile: Pick<OutputProfile, "domain" | "filter">,
): string | undefined {
  try {
    return bindingOf(source, scope, profile);
  } catch (error) {
    if (error instanceof QueryError || error instanceof DeliveryError)
      throw new DeliveryError("filter_outdated", error.message);
    throw error;
  }
}
