import type { WithSession } from "../database/session.ts";
import { StoreError } from "../errors.ts";
import type { StoredTable } from "../schema/table.ts";
import type { Coverage } from "./coverage.ts";
import { readGroups, readState } from "./group-table.ts";
import { type CountingUnit, unitsOf } from "./unit.ts";
import { coverageWithin } from "./within.ts";

/** Implements `Store.coverage`. */
export type ReadCoverage = (resource: string, least: number) => Promise<Coverage | undefined>;

/** Caches the coverages of the builds being served. */
export function createCoverages(tables: ReadonlyMap<string, StoredTable>, read: WithSession): ReadCoverage {
  const known = new Map<string, Coverage>();
  return async (resource, least) => {
    const stored = tables.get(resource);
    if (stored === undefined) throw new StoreError("unknown_resource", resource);
    const { counted } = stored.table;
    if (counted === undefined) return undefined;
    const text = `${resource} ${least}`;
    return read(async (session) => {
      const state = await readState(session, resource);
      // Groups that were counted by other columns are not used; the next build counts them again.
      if (state?.counted !== JSON.stringify(counted)) return undefined;
      const recent = known.get(text);
      if (recent?.checkpoint === state.checkpoint) return recent;
      const found = await readGroups(session, resource);
      if (found === undefined) return undefined;
      const { checkpoint, groups } = found;
      const divisions = new Map<number, readonly CountingUnit[]>();
      const unitsAt = (places: number): readonly CountingUnit[] => {
        const units = divisions.get(places) ?? unitsOf(groups, counted, least, places);
        divisions.set(places, units);
        return units;
      };
      const build = { counted, members: stored.members, groups, unitsAt };
      const coverage: Coverage = { checkpoint, within: (query) => coverageWithin(query, build) };
      known.set(text, coverage);
      return coverage;
    });
  };
}
