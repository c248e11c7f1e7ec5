import { type LookupTable, readData } from "./data.ts";
import { defineField, type Field } from "./field.ts";
import { originatingSystems } from "./originating-systems.ts";

const catalogs = originatingSystems.map(({ id }) => ({ id, ...readData(`local/${id}`) }));

/** Local fields of the originating systems in Property. They are invented, but typical of real MLSs. */
export const localFields: readonly Field[] = catalogs.flatMap(({ id, fields }) =>
  fields.map((facts) => defineField(facts, { source: id, required: false })),
);

/** The lookups of {@link localFields}. */
export const localLookups: LookupTable = Object.fromEntries(
  catalogs.flatMap(({ lookups }) => Object.entries(lookups)),
);
