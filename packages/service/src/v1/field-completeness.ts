import { restrict, type Scope, visibleEntitySet } from "@cadastre/entitlement";
import { bindQuery, type EntitySet } from "@cadastre/odata";
import { resoDdVersion } from "@cadastre/reso";
import { type Coverage, type CoverageWithin, type MarketCoverage, StoreError } from "@cadastre/store";
import { Refused } from "../errors.ts";
import type { Answer } from "../http/answer.ts";
import { canonicalField } from "./canonical-field.ts";
import { CoverageCache } from "./coverage-cache.ts";
import { enveloped } from "./envelope.ts";
import { readGeography, regionColumns } from "./geography.ts";
import { requireFilteredListings } from "./proven-set.ts";
import type { V1Services } from "./services.ts";
import type { V1Request } from "./v1-request.ts";

/** Cached answers. An answer with all fields of five systems takes 1 MB. */
const answers = new CoverageCache<Answer>(64);

/** Cached counts by scope. Those of 40,000 ZIP codes take about 10 MB. */
const scopes = new CoverageCache<CoverageWithin>(16);

/**
 * `GET /v1/field-completeness`. Source: interface specification, section 2.5.
 *
 * @throws {Refused} `invalid_geography`; `not_found` if the market has no listings, or none that the caller may see;
 * `service_unavailable` if the counts cannot be proven to include only listings that the caller may see
 */
export async function fieldCompleteness(request: V1Request, services: V1Services): Promise<Answer> {
  const { scope, stages, parameters } = request;
  const { store, config } = services;
  const geography = stages.time("parse", () => readGeography(parameters.get("geography")));
  const entitySet = requireFilteredListings(request, services);
  const coverage = await stages.timeAsync("run", () =>
    store.coverage(entitySet.name, config.minimumCellSize),
  );
  if (coverage === undefined) throw new Refused("not_found");
  const { scopeSha256, version } = scope;
  const question = [scopeSha256, version, geography, parameters.get("source"), parameters.get("osn")];
  return answers.get(coverage, JSON.stringify(question), () => {
    const markets = stages
      .time("run", () => {
        const within = scopes.get(coverage, scopeSha256, () => withinScope(coverage, entitySet, scope));
        return within.count(regionColumns(geography, entitySet));
      })
      .filter(isAsked(parameters));
    if (markets.length === 0) throw new Refused("not_found");
    const data = {
      geography_type: geography.kind,
      geography_id: geography.value,
      reso_dd_version: resoDdVersion,
      minimum_cell_size: config.minimumCellSize,
      cells: markets.flatMap(cellsOf),
    };
    return stages.time("render", () => enveloped(data, scope));
  });
}

/**
 * Restricts the counts to the listings that a query in the scope would return.
 *
 * @throws {Refused} `service_unavailable`
 */
export function withinScope(coverage: Coverage, entitySet: EntitySet, scope: Scope): CoverageWithin {
  try {
    return coverage.within(restrict(bindQuery({ top: 0 }, visibleEntitySet(entitySet, scope)), scope));
  } catch (error) {
    if (error instanceof StoreError && error.code === "uncounted_scope")
      throw new Refused("service_unavailable");
    throw error;
  }
}

/** Returns the names of the source and the originating system in a cell. Empty if the records have none. */
const namesOf = ({ source, system }: MarketCoverage) => ({ source: source ?? "", osn: system ?? "" });

const isAsked = (parameters: V1Request["parameters"]) => (market: MarketCoverage) =>
  Object.entries(namesOf(market)).every(([name, own]) => (parameters.get(name) ?? own) === own);

const cellsOf = (market: MarketCoverage) => {
  const { source, osn } = namesOf(market);
  return market.fields.map(({ property: { name }, records, populated }) => ({
    source_id: source,
    originating_system_name: osn,
    canonical_field: canonicalField(name),
    wire_field: name,
    total_count: records,
    populated_count: populated,
    populated_ratio: records === 0 ? null : populated / records,
    suppressed: records === 0,
  }));
};
