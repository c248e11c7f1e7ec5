import { restrict, type Scope, visibleEntitySet } from "@cadastre/entitlement";
import { bindQuery, type EntitySet } from "@cadastre/odata";
import type { Answer } from "@cadastre/server/parts";
import { type Coverage, type CoverageWithin, type MarketCoverage, StoreError } from "@cadastre/store";
import { z } from "zod";
import { defineEndpoint } from "../endpoint/endpoint.ts";
import { string, whole } from "../endpoint/members.ts";
import { Refused } from "../errors.ts";
import { canonicalField } from "./canonical-field.ts";
import { CoverageCache } from "./coverage-cache.ts";
import { geography, geographyTypes, regionColumns, toGeography } from "./geography.ts";
import { requireFilteredListings } from "./proven-set.ts";
import type { V1Services } from "./services.ts";

/** Cached answers. An answer with all fields of five systems takes 1 MB. */
const answers = new CoverageCache<Answer>(64);

/** Cached counts by scope. Those of 40,000 ZIP codes take about 10 MB. */
const scopes = new CoverageCache<CoverageWithin>(16);

/**
 * Source: interface specification, section 2.5. A market without listings that the caller may see is `not_found`. It is `service_unavailable`
 * if the counts cannot be proven to include only such listings.
 */
export const fieldCompleteness = defineEndpoint({
  method: "get",
  path: "/v1/field-completeness",
  tag: "JSON",
  summary: "How many listings of a market have a value, by field",
  channel: "api",
  query: {
    geography,
    source: string.optional().meta({ description: "One ingestion source" }),
    osn: string.optional().meta({ description: "One `OriginatingSystemName`" }),
  },
  answer: {
    data: z.object({
      geography_type: z.enum(geographyTypes),
      geography_id: string,
      reso_dd_version: string,
      minimum_cell_size: whole,
      cells: z.array(
        z.object({
          source_id: string,
          originating_system_name: string,
          canonical_field: string,
          wire_field: string,
          total_count: whole,
          populated_count: whole,
          populated_ratio: z.number().min(0).max(1).nullable(),
          suppressed: z.boolean(),
        }),
      ),
    }),
  },
  errors: ["invalid_geography", "not_found"],
  handle: async ({ caller: { scope }, query, stages, reply }, services: V1Services) => {
    const { store, config } = services;
    const market = toGeography(query.geography);
    const entitySet = requireFilteredListings(scope, services);
    const coverage = await stages.timeAsync("run", () =>
      store.coverage(entitySet.name, config.minimumCellSize),
    );
    if (coverage === undefined) throw new Refused("not_found");
    const { scopeSha256, version } = scope;
    const question = [scopeSha256, version, market, query.source, query.osn];
    return answers.get(coverage, JSON.stringify(question), () => {
      const markets = stages
        .time("run", () => {
          const within = scopes.get(coverage, scopeSha256, () => withinScope(coverage, entitySet, scope));
          return within.count(regionColumns(market, entitySet));
        })
        .filter(isAsked(query));
      if (markets.length === 0) throw new Refused("not_found");
      const data = {
        geography_type: market.kind,
        geography_id: market.value,
        reso_dd_version: services.catalog.dictionary.version,
        minimum_cell_size: config.minimumCellSize,
        cells: markets.flatMap(cellsOf),
      };
      return stages.time("render", () => reply(data));
    });
  },
});

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

type Asked = { readonly source?: string | undefined; readonly osn?: string | undefined };

const isAsked = (asked: Asked) => (market: MarketCoverage) => {
  const { source, osn } = namesOf(market);
  return (asked.source ?? source) === source && (asked.osn ?? osn) === osn;
};

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
