import type { Field } from "@cadastre/reso";
import { type Random, randomOf } from "./random.ts";
import { testCatalog } from "./test-catalog.ts";

/** Characters of texts: what JSON, SQL, patterns and CSV must escape, and letters beyond ASCII. */
const characters = Array.from("aB 0'\"\\%_,\néß🏠");

/** Draws a value of each type, in the JSON form that records are stored in. Source: OData JSON format, section 7.1. */
const drawn: Readonly<Partial<Record<Field["type"], (random: Random, field: Field) => unknown>>> = {
  "Edm.String": (random, { lookup, lookupStatus, maxLength = 20 }) => {
    const listed = lookup === undefined ? [] : testCatalog.lookups.values(lookup);
    if (listed.length > 0 && (lookupStatus !== "Open" || random.chance(0.7)))
      return random.pick(listed).value;
    const length = random.below(Math.min(maxLength, 20) + 1);
    return Array.from({ length }, () => random.pick(characters)).join("");
  },
  "Edm.Boolean": (random) => random.chance(0.5),
  "Edm.Int64": (random) => random.pick([0, 1, -7, 65_536, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]),
  "Edm.Decimal": (random, { precision = 15, scale = 0 }) => {
    const digits = random.below(10 ** random.below(precision + 1)) * random.pick([1, 1, -1]);
    return Number(`${digits}e-${scale}`) || 0;
  },
  "Edm.Date": (random) => random.pick(["2024-02-29", "2023-12-31", "0001-01-01", "9999-12-31", "1582-10-10"]),
  "Edm.DateTimeOffset": (random) =>
    random.pick(["2024-05-01T10:00:00.000Z", "2024-05-02T10:00:00.123Z", "1969-12-31T23:59:59.999Z"]),
  "Edm.TimeOfDay": (random) => random.pick(["00:00:00", "08:30:00", "17:00:00.5", "23:59:59.999"]),
};

/** Draws a value of a field other than null. */
export function drawValue(random: Random, field: Field): unknown {
  const draw = drawn[field.type];
  if (draw === undefined)
    throw new RangeError(`${field.name} has the type ${field.type}, of which no value is drawn`);
  if (!field.collection) return draw(random, field);
  return Array.from({ length: random.below(4) }, () => draw(random, field));
}

/** Returns some different values of a field, always the same ones for its name. */
export function valuesOfField(field: Field, count: number): readonly unknown[] {
  const random = randomOf(
    Array.from(field.name).reduce((sum, one) => sum * 31 + (one.codePointAt(0) ?? 0), 7),
  );
  const values = Array.from({ length: count * 4 }, () => drawValue(random, field));
  const different = new Map(values.map((value) => [JSON.stringify(value), value]));
  return [...different.values()].slice(0, count);
}
