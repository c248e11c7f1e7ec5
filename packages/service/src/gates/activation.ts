import type { EntitySet } from "@cadastre/odata";
import { entityModel } from "@cadastre/reso";
import type { Build, Builds } from "@cadastre/store";
import { z } from "zod";
import { describe, type Log } from "../log.ts";
import { gatesOf } from "./gates.ts";

/** How often a running service looks for new builds, in milliseconds. */
const interval = 2000;

const evidenceForm = z.object({
  gates: z.array(z.object({ gate: z.string(), passed: z.boolean(), evidence: z.json() })),
});

/** What the gates have found of a build; none if they were not tried. */
export function gateResultsOf({ evidence }: Build): z.output<typeof evidenceForm>["gates"] {
  const read = evidenceForm.safeParse(evidence);
  return read.success ? read.data.gates : [];
}

/** Whether the build has passed every gate that there is of its set now. */
export function isActive(entitySet: EntitySet, build: Build | undefined): boolean {
  if (build === undefined) return false;
  const results = new Map(gateResultsOf(build).map(({ gate, passed }) => [gate, passed]));
  return gatesOf(entitySet).every(({ name }) => results.get(name) === true);
}

/** The active sets, in the order of the service document. */
async function readActive(builds: Pick<Builds, "current">): Promise<readonly EntitySet[]> {
  const active: EntitySet[] = [];
  for (const entitySet of entityModel.entitySets)
    if (isActive(entitySet, await builds.current(entitySet.name))) active.push(entitySet);
  return active;
}

/** The active sets as they are now: what is published by another process is seen within two seconds. */
export type Activation = { readonly entitySets: () => readonly EntitySet[]; readonly stop: () => void };

/** Follow the builds. While they cannot be read, what was active stays so. */
export async function followActivation(builds: Pick<Builds, "current">, log: Log): Promise<Activation> {
  let active = await readActive(builds);
  const look = async () => {
    try {
      const now = await readActive(builds);
      if (namesOf(now) === namesOf(active)) return;
      active = now;
      log.info({ entitySets: now.map(({ name }) => name) }, "the active entity sets have changed");
    } catch (error) {
      log.error(describe(error), "could not look for new builds");
    }
  };
  const timer = setInterval(() => void look(), interval);
  timer.unref();
  return { entitySets: () => active, stop: () => clearInterval(timer) };
}

const namesOf = (entitySets: readonly EntitySet[]): string => entitySets.map(({ name }) => name).join();
