import { restrict, type Scope, visibleEntitySet } from "@cadastre/entitlement";
import { bindQuery, type EntitySet } from "@cadastre/odata";
import { resoDdVersion } from "@cadastre/reso";
import { type Coverage, type MarketCoverage, StoreError } from "@cadastre/store";
import { Refused } from "../errors.ts";
import type { Answer } from "../http/answer.ts";
import { canonicalField } from "./canonical-field.ts";
import { enveloped } from "./envelope.ts";
import { type Geography, isIn, readGeography } from "./geography.ts";
import { provenSet } from "./proven-set.ts";
import { RecentCompleteness } from "./recent-completeness.ts";
import type { V1Services } from "./services.ts";
import type { V1Request } from "./v1-request.ts";

const recent = new RecentCompleteness();

/**
 * `GET /v1/field-completeness`. Source: interface specification, section 2.5.
 *
 * @throws {Refused} `invalid_geography`; `not_found`, whether there is nothing in the market or nothing that the caller sees;
 * `service_unavailable`, where what is counted could not be proven to be what the caller sees
 */
export async function fieldCompleteness(request: V1Request, services: V1Services): Promise<Answer> {
  const { scope, stages, parameters } = request;
  const { store, config } = services;
  const geography = stages.time("parse", () => readGeography(parameters.get("geography")));
  const entitySet = provenSet(request, services);
  const coverage = await stages.timeAsync("run", () =>
    store.coverage(entitySet.name, config.minimumCellSize),
  );
  if (coverage === undefined) throw new Refused("not_found");
  const { scopeSha256, version } = scope;
  const question = [scopeSha256, version, geography, parameters.get("source"), parameters.get("osn")];
  return recent.get(coverage, JSON.stringify(question), () => {
    const markets = stages
      .time("run", () => marketsIn(geography, entitySet, scope, coverage))
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
 * What a market has, as a query of the caller's own: by what it sees of where listings lie.
 *
 * @throws {Refused} `service_unavailable`
 */
export function marketsIn(
  geography: Geography,
  entitySet: EntitySet,
  scope: Scope,
  coverage: Coverage,
): readonly MarketCoverage[] {
  const visible = visibleEntitySet(entitySet, scope);
  const query = bindQuery({ top: 0 }, visible);
  try {
    return coverage.count(restrict({ ...query, filter: isIn(geography, visible) }, scope));
  } catch (error) {
    if (error instanceof StoreError && error.code === "uncounted_scope")
      throw new Refused("service_unavailable");
    throw error;
  }
}

const isAsked = (parameters: V1Request["parameters"]) => {
  const [source, osn] = [parameters.get("source"), parameters.get("osn")];
  return (market: MarketCoverage): boolean =>
    (source === undefined || market.source === source) && (osn === undefined || market.system === osn);
};

const cellsOf = ({ source, system, fields }: MarketCoverage) =>
  fields.map(({ property: { name }, records, populated }) => ({
    source_id: source ?? "",
    originating_system_name: system ?? "",
    canonical_field: canonicalField(name),
    wire_field: name,
    total_count: records,
    populated_count: populated,
    populated_ratio: records === 0 ? null : populated / records,
    suppressed: records === 0,
  }));
