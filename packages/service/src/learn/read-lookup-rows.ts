import type { Row } from "@cadastre/odata";
import type { FeedField, FeedLookupValue, FeedSchema } from "./feed-schema.ts";
import { LearnError } from "./learn-error.ts";

/**
 * Adds the rows of the RESO resources Lookup and Field to a schema: values of lookups, and display names and lookups of fields. Values in a
 * Lookup row replace those of an enumeration type of the same name.
 *
 * @throws {LearnError} for a row of neither resource
 */
export function withRows(schema: FeedSchema, rows: readonly Row[], source: string): FeedSchema {
  const values = new Map<string, FeedLookupValue[]>();
  const described = new Map<string, Row>();
  for (const [i, row] of rows.entries()) {
    const { LookupName: lookup, LookupValue: value, LegacyODataValue: legacy } = row;
    const { ResourceName: resource, FieldName: field } = row;
    if (typeof lookup === "string" && typeof value === "string")
      values.set(lookup, [
        ...(values.get(lookup) ?? []),
        [value, typeof legacy === "string" ? legacy : undefined],
      ]);
    else if (typeof resource === "string" && typeof field === "string")
      described.set(`${resource}/${field}`, row);
    else
      throw new LearnError(
        `${source}: record ${i + 1} is of neither Lookup (\`LookupName\`, \`LookupValue\`) nor Field (\`ResourceName\`, \`FieldName\`)`,
      );
  }
  const fields = schema.fields.map((field) =>
    describe(field, described.get(`${field.resource}/${field.name}`)),
  );
  return { fields, lookups: new Map([...schema.lookups, ...values]) };
}

function describe(field: FeedField, row: Row | undefined): FeedField {
  if (row === undefined) return field;
  const { DisplayName: displayName, LookupName: lookup } = row;
  return {
    ...field,
    ...(typeof displayName === "string" && displayName !== "" ? { displayName } : {}),
    ...(typeof lookup === "string" && lookup !== "" ? { lookup } : {}),
  };
}
