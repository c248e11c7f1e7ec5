import type { BuildDatabase } from "../build/build-database.ts";
import { StoreError } from "../errors.ts";
import type { Coverage } from "./coverage.ts";
import { readGroups, readState } from "./group-table.ts";
import { type CountingUnit, unitsOf } from "./unit.ts";
import { coverageWithin } from "./within.ts";

/** Implements `Store.coverage`. */
export type ReadCoverage = (resource: string, least: number) => Promise<Coverage | undefined>;

/** Caches the coverages of the builds being served. */
export function createCoverages({ tables, read }: Pick<BuildDatabase, "tables" | "read">): ReadCoverage {
  const known = new Map<string, Coverage>();
  return async (resource, least) => {
    const built = tables.get(resource);
    if (built === undefined) throw new StoreError("unknown_resource", resource);
    const { counted } = built.table;
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
      const build = { counted, members: built.members, groups, unitsAt };
      const coverage: Coverage = { checkpoint, within: (query) => coverageWithin(query, build) };
      known.set(text, coverage);
      return coverage;
    });
  };
}
