import type { EntitySet } from "@cadastre/odata";
import { type Catalog, recordNames } from "@cadastre/reso";
import type { Build, Builds } from "@cadastre/store";
import { z } from "zod";
import { errorFields, type Log } from "../log.ts";
import { takesEffectWithin } from "../takes-effect.ts";
import { gatesOf } from "./gates.ts";

/** Interval at which a running service looks for new builds, in milliseconds. Half of the promised time, because reading takes time too. */
const interval = takesEffectWithin / 2;

const evidenceForm = z.object({
  gates: z.array(z.object({ gate: z.string(), passed: z.boolean(), evidence: z.json() })),
});

/** Returns the results of the gates on a build. Empty if none was tried. */
export function gateResultsOf({ evidence }: Build): z.output<typeof evidenceForm>["gates"] {
  const read = evidenceForm.safeParse(evidence);
  return read.success ? read.data.gates : [];
}

/**
 * True if the build has passed the gates that existed when it was published. A gate that a later version adds is first tried at the next
 * publication, so that an upgrade does not deactivate a set.
 */
export function isActive(build: Build | undefined): boolean {
  if (build === undefined) return false;
  const results = gateResultsOf(build);
  return results.length > 0 && results.every(({ passed }) => passed);
}

/** Returns the names of the set's gates that were never tried on a build. */
function untriedGates(entitySet: EntitySet, build: Build): readonly string[] {
  const tried = new Set(gateResultsOf(build).map(({ gate }) => gate));
  return gatesOf(entitySet)
    .map(({ name }) => name)
    .filter((name) => !tried.has(name));
}

/** Reads the names of the resources whose current build has passed its gates. */
async function readActive(builds: Pick<Builds, "current">): Promise<ReadonlySet<string>> {
  const active = new Set<string>();
  for (const name of recordNames) if (isActive(await builds.current(name))) active.add(name);
  return active;
}

/** Returns the time of the latest publication of any resource, in milliseconds since 1970; undefined if there was none. */
export async function lastPublished(builds: Pick<Builds, "current">): Promise<number | undefined> {
  const times: number[] = [];
  for (const name of recordNames) times.push((await builds.current(name))?.published ?? 0);
  const latest = Math.max(...times);
  return latest === 0 ? undefined : latest;
}

/** Resources whose current build has passed its gates. A publication by another process is noticed within `takesEffectWithin`. */
export type Activation = {
  /** The active sets, in the order of the service document. */
  readonly entitySets: () => readonly EntitySet[];
  /** True if the resource is active, including resources without an entity set, which are only delivered in files. */
  readonly has: (name: string) => boolean;
  readonly stop: () => void;
};

/** True if a set is active that has records of a source. The values of lookups are published with the catalog, before any record. */
export const servesRecords = (active: readonly EntitySet[]): boolean =>
  active.some(({ name }) => name !== "Lookup");

/** Polls the current builds. If they cannot be read, the last known state is kept. */
export async function followActivation(
  { builds, catalog }: { readonly builds: Pick<Builds, "current">; readonly catalog: Catalog },
  log: Log,
): Promise<Activation> {
  let active = await readActive(builds);
  let entitySets = setsOf(catalog, active);
  let isStopped = false;
  await tellUntried(catalog, builds, active, log);
  const look = async () => {
    try {
      const now = await readActive(builds);
      if ([...now].join() === [...active].join()) return;
      active = now;
      entitySets = setsOf(catalog, now);
      log.info({ active: [...now] }, "what is active has changed");
    } catch (error) {
      // The databases may be closed while it looks.
      if (!isStopped) log.error(errorFields(error), "could not look for new builds");
    }
  };
  const timer = setInterval(() => void look(), interval);
  timer.unref();
  return {
    entitySets: () => entitySets,
    has: (name) => active.has(name),
    stop: () => {
      isStopped = true;
      clearInterval(timer);
    },
  };
}

async function tellUntried(
  { entitySet }: Catalog,
  builds: Pick<Builds, "current">,
  active: ReadonlySet<string>,
  log: Log,
): Promise<void> {
  for (const name of recordNames) {
    const build = active.has(name) ? await builds.current(name) : undefined;
    const untried = build === undefined ? [] : untriedGates(entitySet(name), build);
    if (untried.length > 0)
      log.warn(
        { resource: name, gates: untried },
        "the served build was published before these gates existed: the next publication tries them",
      );
  }
}

const setsOf = ({ model }: Catalog, active: ReadonlySet<string>): readonly EntitySet[] =>
  model.entitySets.filter(({ name }) => active.has(name));
