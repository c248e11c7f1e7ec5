import type { Entitlement, EntitlementFault, Region } from "@cadastre/entitlement";
import { nearest } from "@cadastre/odata/tree";
import type { OriginatingSystem } from "@cadastre/reso";
import type { GrantCatalog } from "./grant-catalog.ts";

/** A warning about a region in which a document grants no record. */
export type RegionWarning = Pick<EntitlementFault, "path" | "message" | "allowed" | "suggestion">;

/** Systems that a document grants, and the states that their records lie in. */
type GrantedPlaces = { readonly systems: readonly OriginatingSystem[]; readonly states: readonly string[] };

/** Returns a warning if no record of the granted systems can lie in a region. */
type RegionCheck = (
  value: string,
  granted: GrantedPlaces,
  catalog: GrantCatalog,
) => Promise<Omit<RegionWarning, "path"> | undefined>;

const inState: RegionCheck = async (value, { states }) => {
  const [state = ""] = value.split("/");
  return states.includes(state)
    ? undefined
    : toWarning(state, states, `no record of the granted systems lies in \`${value}\``);
};

const inCounty: RegionCheck = async (value, granted, catalog) => {
  const outside = await inState(value, granted, catalog);
  if (outside !== undefined) return outside;
  const [state = "", county = ""] = value.split("/");
  const own = granted.systems.flatMap(({ id }) => catalog.catalog.lookups.ownValues(id, "CountyOrParish"));
  const listed = own.map((one) => one.value);
  if (listed.includes(county)) return undefined;
  const known = [...new Set([...listed, ...((await catalog.service?.countiesOf(state)) ?? [])])];
  // Without a county in the catalog or a listing in the state nothing is known.
  if (known.length === 0 || known.includes(county)) return undefined;
  const names = known.map((name) => `${state}/${name}`).toSorted();
  return toWarning(value, names, `\`${value}\` is no known county`);
};

const ofSystem: RegionCheck = async (value, { systems }) => {
  const names = systems.map(({ name }) => name);
  return names.includes(value)
    ? undefined
    : toWarning(value, names, `no record of the granted systems is of \`${value}\``);
};

/** Checks by kind of region. ZIP codes are not checked: no list has them. */
const regionChecks: Partial<Record<Region["kind"], RegionCheck>> = {
  state: inState,
  county: inCounty,
  originating_system: ofSystem,
};

function toWarning(given: string, allowed: readonly string[], message: string) {
  const suggestion = nearest(given, allowed);
  return { message, allowed, ...(suggestion !== undefined && { suggestion }) };
}

/** Warns of regions in which no record of the granted systems can lie, and of counties that neither the catalog nor a listing has. */
export async function regionWarnings(
  { regions, datasets }: Pick<Entitlement, "regions" | "datasets">,
  catalog: GrantCatalog,
): Promise<readonly RegionWarning[]> {
  const granted = new Set(datasets.map(({ dataset_id }) => dataset_id));
  const systems = catalog.systems.filter(({ datasetId }) => granted.has(datasetId));
  const isKnown = systems.length > 0 && systems.every(({ states }) => states.length > 0);
  const states = isKnown ? [...new Set(systems.flatMap((system) => system.states))] : catalog.states;
  const places = { systems: systems.length > 0 ? systems : catalog.systems, states };
  const warnings: RegionWarning[] = [];
  for (const [i, { kind, value }] of regions.entries()) {
    const warning = await regionChecks[kind]?.(value, places, catalog);
    if (warning !== undefined) warnings.push({ path: ["regions", i, "value"], ...warning });
  }
  return warnings;
}

/** Most names that are listed in a line. */
const mostListed = 60;

/** Returns the names that are allowed as a list for one line. */
export function listedNames(allowed: readonly string[]): string {
  const isLong = allowed.length > mostListed;
  const listed = allowed.slice(0, isLong ? 5 : mostListed).join(", ");
  return isLong ? `${listed} … (${allowed.length} names)` : listed;
}
