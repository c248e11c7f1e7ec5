import {
  datasetProperty,
  hiddenProperties,
  type Privacy,
  type RegionProperties,
  type ResourceRule,
} from "@cadastre/entitlement";
import { type EntitySet, identifier, type SqlFragment, sql } from "@cadastre/odata";
import { join } from "@cadastre/odata/run";
import { recordColumns, type TableSchema } from "../../schema/table.ts";

/** Names of the members in the JSON of the setting, see `Grants`. */
const members = { datasets: sql`'datasets'`, private: sql`'private'`, regions: sql`'regions'` } as const;

const setting = sql`nullif(current_setting('cadastre.scope', true), '')::jsonb`;

/**
 * Selects the texts that the current scope grants; null if it grants none, or if no scope is set. The subquery is evaluated once
 * per statement.
 */
function granted(member: keyof typeof members, name: string): SqlFragment {
  const list = identifier(name);
  return sql`(select ${list} from jsonb_to_record(${setting} -> ${members[member]}) as "granted"(${list} text[]))`;
}

const isOneOf = (column: SqlFragment, list: SqlFragment) => sql`${column} = any (${list}::text[])`;

/**
 * Returns a value of a row as text or another type, from its column or from the record's text; null if there is no such property.
 */
type Find = (name: string, as?: SqlFragment) => SqlFragment;

function findIn({ columns }: TableSchema, { type }: EntitySet): Find {
  const typed = new Set(columns.map(({ name }) => name));
  const record = identifier(recordColumns.text);
  return (name, as = sql`text`) => {
    const member = identifier(name);
    if (typed.has(name)) return member;
    if (!type.properties.has(name)) return sql`null::${as}`;
    return sql`(select ${member} from json_to_record(${record}) as "record"(${member} ${as}))`;
  };
}

/** Number of digits in a region of the kind `zip`. */
const zipDigits = sql`5`;

function inRegions({ state, county, zip, originating_system }: RegionProperties, find: Find): SqlFragment {
  const of = (kind: string) => granted("regions", kind);
  const kinds = [
    sql`${of("national")} is not null`,
    isOneOf(find(state), of("state")),
    isOneOf(sql`${find(state)} || '/' || ${find(county)}`, of("county")),
    isOneOf(sql`left(${find(zip)}, ${zipDigits})`, of("zip")),
    isOneOf(find(originating_system), of("originating_system")),
  ];
  return sql`(${join(kinds, " or ")})`;
}

/**
 * Returns the condition that a row has only open values in a property, such as its privacy flags. False if the row has no such
 * property, or if its value is not a list.
 */
function isOpen({ property: name, open }: Privacy, { type }: EntitySet, find: Find): SqlFragment {
  const property = type.properties.get(name) ?? hiddenProperties.get(name);
  if (property?.collection !== true || property.type !== "Edm.String") return sql`false`;
  const held = sql`coalesce(${find(name, sql`jsonb`)}, '[]')`;
  // The values are written as column names, because a view cannot have parameters and values must not become SQL text.
  const row = sql`(select ${join(
    open.map((one) => sql`true as ${identifier(one)}`),
    ", ",
  )}) as "open"`;
  const values = sql`(select jsonb_agg("value") from ${row}, jsonb_object_keys(to_jsonb("open")) as "value")`;
  return sql`(jsonb_typeof(${held}) = 'array' and ${held} <@ ${values})`;
}

/** Returns the condition that the current scope grants a row of a table. It expresses the same rules as `restrict`. */
export function grantedRows(
  table: TableSchema,
  entitySet: EntitySet,
  rule: ResourceRule | undefined,
): SqlFragment {
  if (rule === undefined) return sql`false`;
  const find = findIn(table, entitySet);
  const rows = rowsBy(rule, table, find);
  if (rule.privacy === undefined) return rows;
  const unlimited = isOneOf(identifier(datasetProperty.name), granted("private", table.name));
  return sql`${rows} and (${unlimited} or ${isOpen(rule.privacy, entitySet, find)})`;
}

function rowsBy(rule: ResourceRule, { name }: TableSchema, find: Find): SqlFragment {
  const datasets = granted("datasets", name);
  const dataset = identifier(datasetProperty.name);
  const isGranted = isOneOf(dataset, datasets);
  switch (rule.by) {
    case "dataset":
      return isGranted;
    case "region":
      return join([isGranted, inRegions(rule.regions, find)], " and ");
    case "parent": {
      const parent = isOneOf(find(rule.dataset), granted("datasets", rule.parent));
      return join([isGranted, parent, inRegions(rule.regions, find)], " and ");
    }
    case "lookup":
      return sql`(${isGranted} or ${dataset} is null and ${datasets} is not null)`;
  }
}
