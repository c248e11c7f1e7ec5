import { datasetProperty, type RegionProperties, type ResourceRule } from "@cadastre/entitlement";
import { type EntitySet, identifier, join, type SqlFragment, sql } from "@cadastre/odata";
import { recordColumns, type TableSchema } from "../../schema/table.ts";

/** Members of the setting. */
const members = { datasets: sql`'datasets'`, regions: sql`'regions'` } as const;

const setting = sql`nullif(current_setting('cadastre.scope', true), '')::jsonb`;

/** Texts that the scope grants, read once a statement; null where it grants none, and where none is set. */
function granted(member: keyof typeof members, name: string): SqlFragment {
  const list = identifier(name);
  return sql`(select ${list} from jsonb_to_record(${setting} -> ${members[member]}) as "granted"(${list} text[]))`;
}

const isOneOf = (column: SqlFragment, list: SqlFragment) => sql`${column} = any (${list}::text[])`;

/** Where a text of a row lies: in a column, in the record, or nowhere. */
type Find = (name: string) => SqlFragment;

function findIn({ columns }: TableSchema, { type }: EntitySet): Find {
  const typed = new Set(columns.map(({ name }) => name));
  const record = identifier(recordColumns.text);
  return (name) => {
    const text = identifier(name);
    if (typed.has(name)) return text;
    if (!type.properties.has(name)) return sql`null::text`;
    return sql`(select ${text} from json_to_record(${record}) as "record"(${text} text))`;
  };
}

/** Digits of a region of the kind `zip`. */
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

/** Whether the scope that is set grants a row of a table: what `restrict` says, said again in SQL. */
export function grantedRows(
  table: TableSchema,
  entitySet: EntitySet,
  rule: ResourceRule | undefined,
): SqlFragment {
  const find = findIn(table, entitySet);
  const datasets = granted("datasets", table.name);
  const dataset = identifier(datasetProperty.name);
  const isGranted = isOneOf(dataset, datasets);
  switch (rule?.by) {
    case "dataset":
      return isGranted;
    case "region":
      return join([isGranted, inRegions(rule.regions, find)], " and ");
    case "parent": {
      const parent = isOneOf(find(rule.dataset), granted("datasets", rule.parent));
      return join([isGranted, parent, inRegions(rule.regions, find)], " and ");
    }
    case "lookup":
      return join([isGranted, sql`${dataset} is null and ${datasets} is not null`], " or ");
    case undefined:
      return sql`false`;
  }
}
