import { type RestrictedApply, restrictApply } from "@cadastre/entitlement";
import { QueryError } from "@cadastre/odata";
import type { AppliedQuery } from "@cadastre/odata/apply";
import type { AppliedSource } from "@cadastre/server/parts";
import { refusePathsIn } from "./related-sets.ts";
import type { SourceCaller, SourceServices } from "./source-services.ts";
import { isStoredSet } from "./stored-set.ts";

/** Bytes that a value of a row takes on its way from the database to the answer. */
const bytesOfValue = 200;

/** Creates the part of a source that runs `$apply`: over what the caller sees, in groups of at least the minimum cell size. */
export const aggregateSource = (
  { store, memory, config }: SourceServices,
  { scope, stages }: SourceCaller,
): AppliedSource => {
  const restrictResult = (applied: AppliedQuery): RestrictedApply =>
    stages.time("restrict", () => {
      const { entitySet, steps } = applied.apply;
      if (!isStoredSet(entitySet))
        throw new QueryError(
          "not_supported",
          null,
          { feature: `\`$apply\` to \`${entitySet.name}\`` },
          "$apply",
        );
      refusePathsIn(steps);
      return restrictApply(applied, scope, config.minimumCellSize);
    });
  return {
    page: async (applied, { from, count, applied: form, own, signal }) => {
      refuseOwn(own);
      const restricted = restrictResult(applied);
      const { top, select } = restricted.applied.query;
      const estimated = (top + 1) * select.length * bytesOfValue;
      const reserved = await stages.timeAsync("reserve", () =>
        memory.reserve(scope.customer, estimated, signal),
      );
      try {
        const page = await stages.timeAsync(
          "run",
          (within) => store.apply(restricted, { from, count, form }, { signal, stages: within }),
          { entitySet: applied.apply.entitySet.name },
        );
        const records = Buffer.from(page.records.join());
        return { ...page, records, length: page.records.length, release: () => reserved.release() };
      } catch (error) {
        reserved.release();
        throw error;
      }
    },
    count: async (applied, { own, signal }) => {
      refuseOwn(own);
      const restricted = restrictResult(applied);
      return stages.timeAsync("run", (within) => store.countApplied(restricted, { signal, stages: within }), {
        entitySet: applied.apply.entitySet.name,
      });
    },
  };
};

/** @throws {QueryError} `conflicting_options` for `placekey`: it selects the records of one property */
function refuseOwn(own: ReadonlyMap<string, string>): void {
  const [name] = own.keys();
  if (name !== undefined) throw new QueryError("conflicting_options", null, { name, other: "$apply" }, name);
}
