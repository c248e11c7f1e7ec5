import { type OriginatingSystem, type OriginatingSystemId, originatingSystems } from "@cadastre/reso";
import { asOf, day } from "./calendar.ts";
import { type Metro, metros } from "./metros.ts";
import { hashText, type Random } from "./random.ts";

/** An originating system with what the sample derives from it. */
export type System = OriginatingSystem & {
  readonly id: OriginatingSystemId;
  readonly seed: number;
  readonly metros: readonly Metro[];
};

/** The systems by id. */
export const systems: ReadonlyMap<OriginatingSystemId, System> = new Map(
  originatingSystems.map((system): [OriginatingSystemId, System] => [
    system.id,
    {
      ...system,
      seed: hashText(system.id),
      metros: metros.filter((metro) => metro.systems.some(({ id }) => id === system.id)),
    },
  ]),
);

/** The system with a given id. */
export function systemOf(id: OriginatingSystemId): System {
  const system = systems.get(id);
  if (system === undefined) throw new RangeError(`unknown originating system \`${id}\``);
  return system;
}

/** Days between two bulk updates of a system, which give many records one timestamp. */
const bulkEvery = 30;

/** A moment at or after `earliest` at which `system` touched many records, or undefined if there was none. */
export function bulkUpdateAfter(system: System, earliest: number, random: Random): number | undefined {
  const latest = asOf - (system.seed % 20) * day - 18 * 3_600_000;
  const count = Math.floor((latest - earliest) / (bulkEvery * day)) + 1;
  return count < 1 ? undefined : latest - random.int(0, Math.min(count, 24) - 1) * bulkEvery * day;
}
