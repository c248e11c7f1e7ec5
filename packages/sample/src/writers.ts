import type { ResourceName } from "@cadastre/reso";
import type { SampleSystemId } from "./catalog/index.ts";
import type { Dated, Fills } from "./fill.ts";
import type { SampleRecord } from "./record.ts";
import { planRecords, type RelevanceOf } from "./record-plan.ts";
import { type System, systems } from "./systems.ts";

/** Returns the function that writes an entity's record in the form of its system. */
export function writerOf<Entity extends Dated & { readonly seed: number; readonly system: System }>(
  resource: ResourceName,
  fills: Fills<Entity>,
  relevanceOf?: RelevanceOf<Entity>,
): (entity: Entity) => SampleRecord {
  const writers = new Map<SampleSystemId, (entity: Entity) => SampleRecord>(
    [...systems.values()].map((system) => [system.id, planRecords(resource, system, fills, relevanceOf)]),
  );
  return (entity) => {
    const write = writers.get(entity.system.id);
    if (write === undefined) throw new RangeError(`unknown originating system \`${entity.system.id}\``);
    return write(entity);
  };
}
