import type { Field, ResourceName } from "@cadastre/reso";
import { sampleCatalog } from "./catalog/index.ts";
import { type Dated, type Fill, type Fills, genericFill } from "./fill.ts";
import { fillRate, leaderOf } from "./fill-rates.ts";
import { hashText, mix, Random } from "./random.ts";
import type { FieldValue, SampleRecord } from "./record.ts";
import type { System } from "./systems.ts";

/** The way in which one system fills one field. */
type Column<Entity> = {
  readonly name: string;
  /** Hash that makes the draws of the field independent of other fields. */
  readonly salt: number;
  /** Hash that decides, with {@link threshold}, if the field is filled. A field that follows another has the other's. */
  readonly presence: number;
  /** The field is filled if the draw of 32 bits is below this. */
  readonly threshold: number;
  /** True if the field is relevant for the entity. Undefined: always. */
  readonly relevant: ((entity: Entity) => boolean) | undefined;
  readonly fill: Fill<Entity>;
};

/** Returns a predicate: true if the field can have a value for an entity. Undefined if it always can. */
export type RelevanceOf<Entity> = (field: Field) => ((entity: Entity) => boolean) | undefined;

const random = new Random();

function columnOf<Entity extends Dated>(
  field: Field,
  resource: ResourceName,
  system: System,
  fills: Fills<Entity>,
  relevanceOf: RelevanceOf<Entity>,
): Column<Entity> {
  const rate = fillRate(system, resource, field);
  return {
    name: field.name,
    salt: hashText(`${field.name} value`),
    presence: hashText(leaderOf(field.name)),
    threshold: rate * 0x1_0000_0000,
    relevant: relevanceOf(field),
    fill: fills[field.name] ?? genericFill(field),
  };
}

/**
 * Returns the function that writes records of `resource` in the form of `system`.
 * Each field draws from the entity's seed and its own name, so a new field in the catalog changes no other value.
 */
export function planRecords<Entity extends Dated & { readonly seed: number }>(
  resource: ResourceName,
  system: System,
  fills: Fills<Entity>,
  relevanceOf: RelevanceOf<Entity> = () => undefined,
): (entity: Entity) => SampleRecord {
  const columns = sampleCatalog
    .fieldsOf(resource)
    .filter(({ source }) => source === null || source === system.id)
    .map((field) => columnOf(field, resource, system, fills, relevanceOf))
    .filter(({ threshold }) => threshold > 0);
  // Deciding about some 600 fields takes most of the time, and typed arrays are the fastest to scan.
  const presences = Int32Array.from(columns, ({ presence }) => presence);
  const thresholds = Float64Array.from(columns, ({ threshold }) => threshold);
  const count = columns.length;
  return (entity) => {
    // An object without a prototype is a hash table from the start, which saves a third of the time for 170 fields.
    const record = Object.create(null) as Record<string, FieldValue>;
    const { seed } = entity;
    for (let k = 0; k < count; k++) {
      if (mix(seed ^ (presences[k] as number)) >= (thresholds[k] as number)) continue;
      const { name, salt, relevant, fill } = columns[k] as Column<Entity>;
      if (relevant?.(entity) === false) continue;
      const value = fill(entity, random.seed(seed ^ salt));
      if (value !== undefined) record[name] = value;
    }
    return record;
  };
}
