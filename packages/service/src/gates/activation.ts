import type { EntitySet } from "@cadastre/odata";
import { entityModel, entitySet, recordNames } from "@cadastre/reso";
import type { Build, Builds } from "@cadastre/store";
import { z } from "zod";
import { describe, type Log } from "../log.ts";
import { takesEffectWithin } from "../takes-effect.ts";
import { gatesOf } from "./gates.ts";

/** How often a running service looks for new builds, in milliseconds: a look may take as long again. */
const interval = takesEffectWithin / 2;

const evidenceForm = z.object({
  gates: z.array(z.object({ gate: z.string(), passed: z.boolean(), evidence: z.json() })),
});

/** What the gates have found of a build; none if they were not tried. */
export function gateResultsOf({ evidence }: Build): z.output<typeof evidenceForm>["gates"] {
  const read = evidenceForm.safeParse(evidence);
  return read.success ? read.data.gates : [];
}

/** True if the build has passed every gate that judges the state of its set. */
export function isActive(entitySet: EntitySet, build: Build | undefined): boolean {
  if (build === undefined) return false;
  const results = new Map(gateResultsOf(build).map(({ gate, passed }) => [gate, passed]));
  return gatesOf(entitySet).every(
    ({ name, judges }) => judges === "publication" || results.get(name) === true,
  );
}

/** What has passed its gates, by name. */
async function readActive(builds: Pick<Builds, "current">): Promise<ReadonlySet<string>> {
  const active = new Set<string>();
  for (const name of recordNames) if (isActive(entitySet(name), await builds.current(name))) active.add(name);
  return active;
}

/** What is active as it is now: what is published by another process is seen within `takesEffectWithin`. */
export type Activation = {
  /** The active sets, in the order of the service document. */
  readonly entitySets: () => readonly EntitySet[];
  /** Whether the records of this name are active: of a set, or that are only delivered. */
  readonly has: (name: string) => boolean;
  readonly stop: () => void;
};

/** Follow the builds. While they cannot be read, what was active stays so. */
export async function followActivation(builds: Pick<Builds, "current">, log: Log): Promise<Activation> {
  let active = await readActive(builds);
  let entitySets = setsOf(active);
  const look = async () => {
    try {
      const now = await readActive(builds);
      if ([...now].join() === [...active].join()) return;
      active = now;
      entitySets = setsOf(now);
      log.info({ active: [...now] }, "what is active has changed");
    } catch (error) {
      log.error(describe(error), "could not look for new builds");
    }
  };
  const timer = setInterval(() => void look(), interval);
  timer.unref();
  return { entitySets: () => entitySets, has: (name) => active.has(name), stop: () => clearInterval(timer) };
}

const setsOf = (active: ReadonlySet<string>): readonly EntitySet[] =>
  entityModel.entitySets.filter(({ name }) => active.has(name));
