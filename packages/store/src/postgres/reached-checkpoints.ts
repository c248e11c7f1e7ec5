import type { Build, Builds } from "../build/build.ts";
import type { ReadCoverage } from "../coverage/coverages.ts";
import type { Commit } from "../store.ts";

/** Called with a checkpoint that later reads must have reached. */
type Reach = (checkpoint: number) => void;

/** Returns the same coverage. Calls `reach` with the checkpoint of each that is read. */
export const reachingCoverage =
  (read: ReadCoverage, reach: Reach): ReadCoverage =>
  async (resource, least) => {
    const coverage = await read(resource, least);
    if (coverage !== undefined) reach(coverage.checkpoint);
    return coverage;
  };

/** Returns the same builds. Calls `reach` with the checkpoint of each that is read or made. */
export function reachingBuilds(builds: Builds, reach: Reach): Builds {
  const noted = <Found extends Build | undefined>(build: Found): Found => {
    if (build !== undefined) reach(build.checkpoint);
    return build;
  };
  const reached = (commit: Commit): Commit => {
    reach(commit.checkpoint);
    return commit;
  };
  return {
    ...builds,
    current: async (resource) => noted(await builds.current(resource)),
    list: async (resource) => {
      const found = await builds.list(resource);
      for (const build of found) noted(build);
      return found;
    },
    publish: async (...request) => {
      const publication = await builds.publish(...request);
      if (publication.published) for (const build of publication.builds) noted(build);
      return publication;
    },
    rollback: async (...request) => noted(await builds.rollback(...request)),
    retire: async (...request) => reached(await builds.retire(...request)),
    reinstate: async (...request) => reached(await builds.reinstate(...request)),
  };
}
