import { z } from "zod";
import { CatalogError } from "./catalog-error.ts";
import { type CatalogDefinition, localResources, localTypes } from "./definition.ts";
import { resourceNames } from "./dictionary-data.ts";
import { issueWords } from "./issue-words.ts";

const lookupStatuses = ["Open", "Open with Enumerations", "Locked with Enumerations"] as const;

const name = z
  .string()
  .regex(/^[A-Za-z_]\w{0,127}$/, "must be an OData identifier: letters, digits and `_`, up to 128");
const line = (longest: number) =>
  z
    .string()
    .min(1)
    .max(longest)
    .regex(/^\P{Cc}*$/u, "must be one line of text");

const standardField = z.strictObject({
  name,
  displayName: line(128),
  type: z.enum(localTypes),
  collection: z.literal(true).optional(),
  maxLength: z.int().min(1).max(65_535).optional(),
  precision: z.int().min(1).max(38).optional(),
  scale: z.int().min(0).max(15).optional(),
  lookup: name.optional(),
  lookupStatus: z.enum(lookupStatuses).optional(),
  synonyms: z.array(name).optional(),
  derivedFrom: z.array(name).optional(),
  mayReveal: z.array(z.string().regex(/^(?:\w+\/)?\w+$/)).optional(),
});

const localField = standardField.extend({
  group: line(128).optional(),
  annotations: z
    .array(
      z.strictObject({
        term: z
          .string()
          .regex(
            /^[A-Za-z_][\w.]*\.[A-Za-z_]\w*$/,
            "must be a qualified name, such as `Org.OData.Core.V1.Description`",
          ),
        value: z.union([z.string().max(4000), z.boolean(), z.number()]),
      }),
    )
    .optional(),
});

const lookupValue = z.tuple([line(255), name.or(z.string().regex(/^\w{1,128}$/))]);

const originatingSystem = z.strictObject({
  id: z
    .string()
    .regex(
      /^[a-z][a-z0-9-]{0,31}$/,
      "must be lower-case letters, digits and `-`, up to 32, such as `northshore`",
    ),
  name: line(128),
  prefix: z
    .string()
    .regex(/^[A-Z][A-Z0-9]{1,9}_$/, "must be 2 to 10 capital letters or digits and `_`, such as `NSM_`"),
  states: z.array(z.string().regex(/^[A-Z]{2}$/, "must be a code of two capital letters, such as `TX`")),
  datasetId: z.uuid(),
  contact: line(320).optional(),
  fields: z.partialRecord(z.enum(localResources), z.array(localField)).optional(),
  lookups: z.record(name, z.array(lookupValue)).optional(),
});

const schema = z.strictObject({
  systems: z.array(originatingSystem),
  dictionary: z
    .strictObject({
      version: z.string().regex(/^\d{1,3}\.\d{1,3}$/, "must be a version, such as `2.1`"),
      fields: z.partialRecord(z.enum(resourceNames), z.array(standardField)).optional(),
      lookups: z.record(name, z.array(lookupValue)).optional(),
    })
    .optional(),
  standardFields: z.partialRecord(z.enum(resourceNames), z.array(name)).optional(),
});

/**
 * Reads a catalog's definition from JSON.
 *
 * @throws {CatalogError} with all faults of its form; `createCatalog` finds those of its meaning
 */
export function readDefinition(json: unknown): CatalogDefinition {
  const read = schema.safeParse(json, { error: issueWords });
  if (read.success) return read.data as CatalogDefinition;
  throw new CatalogError(read.error.issues.map(({ path, message }) => ({ path, message })));
}
