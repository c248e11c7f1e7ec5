import type { OriginatingSystem } from "@cadastre/reso";
import { msPerDay, referenceTime } from "./calendar.ts";
import { type SampleSystemId, sampleSystems } from "./catalog/index.ts";
import { type Metro, metros } from "./metros.ts";
import { hashText, type Random } from "./random.ts";

/** An originating system, with its seed and metros in the sample. */
export type System = OriginatingSystem & {
  readonly id: SampleSystemId;
  readonly seed: number;
  readonly metros: readonly Metro[];
};

export const systems: ReadonlyMap<SampleSystemId, System> = new Map(
  sampleSystems.map((system): [SampleSystemId, System] => [
    system.id,
    {
      ...system,
      seed: hashText(system.id),
      metros: metros.filter((metro) => metro.systems.some(({ id }) => id === system.id)),
    },
  ]),
);

/** Returns the system with an id. */
export function systemOf(id: SampleSystemId): System {
  const system = systems.get(id);
  if (system === undefined) throw new RangeError(`unknown originating system \`${id}\``);
  return system;
}

/** Interval in days between bulk updates of a system, which give many records the same timestamp. */
const bulkEvery = 30;

/** Draws the time of a bulk update of `system` at or after `earliest`; undefined if there was none. */
export function bulkUpdateAfter(system: System, earliest: number, random: Random): number | undefined {
  const latest = referenceTime - (system.seed % 20) * msPerDay - 18 * 3_600_000;
  const count = Math.floor((latest - earliest) / (bulkEvery * msPerDay)) + 1;
  return count < 1 ? undefined : latest - random.int(0, Math.min(count, 24) - 1) * bulkEvery * msPerDay;
}
