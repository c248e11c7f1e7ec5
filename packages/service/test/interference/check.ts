import type { AccessRegistry } from "@cadastre/store/registry";
import fc from "fast-check";
import { type Case, cases } from "./cases.ts";
import { compareSides, type Sides } from "./compare-sides.ts";
import type { Engine } from "./engines.ts";
import { openSide } from "./side.ts";
import { targetOf } from "./targets.ts";
import { varied } from "./worlds.ts";

/** Opens the services for all cases. `close` also closes their stores. */
export async function openSides(engine: Engine): Promise<{ sides: Sides; close: () => Promise<void> }> {
  const stores = [await engine.open("first"), await engine.open("second")] as const;
  const registries: AccessRegistry[] = [];
  const openRegistry = async (name: string) => {
    if (!engine.hasHistory) return undefined;
    const registry = await engine.openRegistry(name);
    registries.push(registry);
    return registry;
  };
  const sides = {
    first: await openSide(stores[0], { registry: await openRegistry("first") }),
    second: await openSide(stores[1], { registry: await openRegistry("second") }),
    bare: await openSide(stores[0], { registry: await openRegistry("bare") }),
  };
  return {
    sides,
    close: async () => {
      for (const side of Object.values(sides)) await side.stop();
      for (const registry of registries) await registry.close();
      for (const store of stores) await store.close();
      await engine.close();
    },
  };
}

/** Runs cases. Returns a shrunk counterexample as text, or undefined if there is none. */
export async function findLeak(sides: Sides, parameters: fc.Parameters<[Case]>): Promise<string | undefined> {
  const property = fc.asyncProperty(cases, (given) => compareSides(sides, given));
  const { failed, counterexample, errorInstance, seed, numRuns } = await fc.check(property, parameters);
  if (!failed) return undefined;
  const found = `seed ${seed}, case ${numRuns}: ${String(errorInstance)}`;
  return counterexample === null ? found : `${found}\n\n${printCase(counterexample[0])}`;
}

/** Formats a case: the grants, the contents of the stores, and the requests. */
const printCase = ({ grants, world, donor, lead, later, requests }: Case): string =>
  JSON.stringify(
    {
      grants: grants.one,
      requests: requests.map((request) => `${request.method} ${targetOf(request, grants.one)}`),
      first: world,
      second: varied(world, donor, grants.one),
      lead,
      ...(later === null ? {} : { later: varied(world, later, grants.one) }),
    },
    null,
    1,
  );
