import { nearest } from "@cadastre/odata";
import type { DialectName } from "@cadastre/odata/run";
import { type Database, queryOf } from "../database.ts";
import { type DeclaredModel, propertiesOf } from "../model/entity-model.ts";
import type { EntitySetDeclaration } from "../model/entity-set.ts";
import type { PropertyDeclaration } from "../model/property.ts";
import { catalogs } from "./catalogs.ts";
import { columnType, isSortedAsText, readsExactly } from "./column-reading.ts";
import { columnExpression, declarationOf } from "./declared-column.ts";
import type { ColumnFacts, IndexColumn, TableFacts } from "./table-facts.ts";

/** The ways in which a declaration differs from the database, by their stable code. */
export type MismatchCode =
  | "missing_table"
  | "missing_column"
  | "other_type"
  | "longer_values"
  | "null_possible"
  | "no_index";

/** A difference between a declaration and the database. */
export type DeclarationMismatch = {
  readonly code: MismatchCode;
  /** Name of the entity set, or of the property: `Property/City`. */
  readonly target: string;
  /** The difference, and the line that puts it right: one sentence. */
  readonly message: string;
};

/** A declaration whose table has a name, and is no SQL expression. */
type TableDeclaration = EntitySetDeclaration & { readonly table: string };

const hasTableName = (declaration: EntitySetDeclaration): declaration is TableDeclaration =>
  typeof declaration.table === "string";

/**
 * Compares declarations with the tables of a database. SQL expressions are not compared; of views only the names and types of their columns.
 */
export async function compareDeclarations(
  { declarations }: Pick<DeclaredModel, "declarations">,
  database: Database,
): Promise<readonly DeclarationMismatch[]> {
  const { name: dialect } = database.dialect;
  const run = queryOf(database);
  const { names, facts } = catalogs[dialect];
  const named = [...declarations.values()].filter(hasTableName);
  if (named.length === 0) return [];
  const known = await names(run);
  const wanted = named.map(({ table }) => found(known, table, dialect)).filter((one) => one !== undefined);
  const tables = await facts(run, [...new Set(wanted)], false);
  return named.flatMap((declaration) => {
    const table = found(tables, declaration.table, dialect);
    return table === undefined
      ? [
          missingTable(
            declaration,
            known.map(({ name }) => name),
          ),
        ]
      : compareWithTable(declaration, table, dialect);
  });
}

/** Returns what has a name. SQLite does not tell upper from lower case in names. */
function found<T extends { readonly name: string }>(
  all: readonly T[],
  name: string,
  dialect: DialectName,
): T | undefined {
  const exact = all.find((one) => one.name === name);
  if (exact !== undefined || dialect === "postgres") return exact;
  return all.find((one) => one.name.toLowerCase() === name.toLowerCase());
}

const suggested = (name: string, names: readonly string[]): string => {
  const near = nearest(name, names);
  return near === undefined ? "" : `, did you mean \`${near}\`?`;
};

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

const missingTable = ({ name, table }: TableDeclaration, names: readonly string[]): DeclarationMismatch => ({
  code: "missing_table",
  target: name,
  message: `\`${name}\`: there is no table or view \`${table}\`${suggested(table, names) || ":"} create it, or name another one as \`table\``,
});

/** Columns of SQLite that no table lists. */
const rowIds: readonly string[] = ["rowid", "oid", "_rowid_"];

function compareWithTable(
  declaration: EntitySetDeclaration,
  table: TableFacts,
  dialect: DialectName,
): readonly DeclarationMismatch[] {
  // A view that is not valid is told by the database when it is read.
  if (table.columns.length === 0) return [];
  const columns = [...propertiesOf(declaration)].flatMap(([name, property]) => {
    const { source = name } = property;
    if (typeof source !== "string") return [];
    const column = found(table.columns, source, dialect);
    const target = `${declaration.name}/${name}`;
    if (column !== undefined)
      return compareWithColumn({
        target,
        isKey: Object.hasOwn(declaration.key, name),
        property,
        column,
        table,
        dialect,
      });
    if (dialect === "sqlite" && rowIds.includes(source.toLowerCase())) return [];
    return [missingColumn(target, property, source, table, dialect)];
  });
  return [...columns, ...missingIndex(declaration, table, dialect)];
}

function missingColumn(
  target: string,
  property: PropertyDeclaration,
  column: string,
  { name, kind, columns }: TableFacts,
  dialect: DialectName,
): DeclarationMismatch {
  const near = suggested(
    column,
    columns.map((one) => one.name),
  );
  const added =
    kind === "view"
      ? "or add it to the view"
      : `or \`alter table ${quoted(name)} add column ${quoted(column)} ${columnType(property, dialect)}\``;
  return {
    code: "missing_column",
    target,
    message: `\`${target}\`: \`${name}\` has no column \`${column}\`${near || ":"} name the column as \`.column("…")\`, ${added}`,
  };
}

/** A property and the column that it is read from. */
type Pair = {
  readonly target: string;
  readonly isKey: boolean;
  readonly property: PropertyDeclaration;
  readonly column: ColumnFacts;
  readonly table: TableFacts;
  readonly dialect: DialectName;
};

function compareWithColumn(pair: Pair): readonly DeclarationMismatch[] {
  const { property, column, table, dialect } = pair;
  // A view of SQLite has columns without a type.
  if (!readsExactly(property, column, dialect) && (table.kind === "table" || dialect === "postgres"))
    return [otherType(pair)];
  const { facts } = property;
  const differences = longerValues(pair);
  if (table.kind === "view" || !column.nullable || facts.nullable || facts.collection) return differences;
  return [...differences, nullPossible(pair)];
}

function otherType({ target, property, column, table, dialect }: Pair): DeclarationMismatch {
  const { facts, storage } = property;
  const type = facts.collection ? `Collection(${facts.type})` : facts.type;
  const declared = storage === undefined || facts.collection ? type : `${type} as \`${storage}\``;
  const other = declarationOf(column, dialect);
  const advice =
    other === undefined
      ? `read it by an expression, such as ${expressionFor(column, dialect)}, or let the column be \`${columnType(property, dialect)}\``
      : `declare it as \`${other}\`, or let the column be \`${columnType(property, dialect)}\``;
  return {
    code: "other_type",
    target,
    message: `\`${target}\`: the column \`${column.name}\` of \`${table.name}\` is of the type \`${column.type}\`, which ${declared} is not read from exactly: ${advice}`,
  };
}

function expressionFor({ name, type }: ColumnFacts, dialect: DialectName): string {
  if (dialect === "sqlite") return `.column(${columnExpression(name, "cast(", " as text)")})`;
  const reading = type === "timestamp without time zone" ? " at time zone 'UTC'" : "::text";
  return `.column(${columnExpression(name, "", reading)})`;
}

/** Tells what a column of PostgreSQL may hold beyond the facets of the property. SQLite does not enforce lengths. */
function longerValues({ target, property, column, table, dialect }: Pair): readonly DeclarationMismatch[] {
  const { maxLength, precision, scale } = property.facts;
  const [first, second = 0] = column.facets;
  if (dialect === "sqlite" || first === undefined || property.facts.collection) return [];
  const isText = column.type.startsWith("character");
  const isLonger = isText
    ? maxLength !== undefined && first > maxLength
    : column.type === "numeric" &&
      ((scale !== undefined && second > scale) ||
        (precision !== undefined && first - second > precision - (scale ?? 0)));
  if (!isLonger) return [];
  return [
    {
      code: "longer_values",
      target,
      message: `\`${target}\`: the column \`${column.name}\` of \`${table.name}\` may hold longer values than clients are told: declare it as \`${declarationOf(column, dialect) ?? "text()"}\``,
    },
  ];
}

function nullPossible({ target, isKey, column, table, dialect }: Pair): DeclarationMismatch {
  const constraint =
    dialect === "sqlite"
      ? "declare the column `not null`"
      : `\`alter table ${quoted(table.name)} alter column ${quoted(column.name)} set not null\``;
  const advice = isKey ? `a key is never null: ${constraint}` : `add \`.nullable()\`, or ${constraint}`;
  return {
    code: "null_possible",
    target,
    message: `\`${target}\`: the column \`${column.name}\` of \`${table.name}\` may be null, which the declaration excludes: ${advice}`,
  };
}

/** A column of the default order. */
type SortColumn = { readonly column: string; readonly isText: boolean; readonly nullable: boolean };

function missingIndex(
  declaration: EntitySetDeclaration,
  { name, kind, columns, indexes }: TableFacts,
  dialect: DialectName,
): readonly DeclarationMismatch[] {
  const order = kind === "view" ? undefined : sortColumns(declaration, columns, dialect);
  if (order === undefined || indexes.some((index) => holdsOrder(index, order, dialect))) return [];
  const sorted = order.map(({ column, isText, nullable }) =>
    [
      quoted(column),
      ...(isText && dialect === "postgres" ? ['collate "C"'] : []),
      ...(nullable && dialect === "postgres" ? ["nulls first"] : []),
    ].join(" "),
  );
  const index = quoted([name, "by", ...order.map(({ column }) => column)].join("_").slice(0, 60));
  return [
    {
      code: "no_index",
      target: declaration.name,
      message: `\`${declaration.name}\`: no index of \`${name}\` begins with the columns of its order, so that each page reads and sorts all rows: \`create index ${index} on ${quoted(name)} (${sorted.join(", ")})\``,
    },
  ];
}

/** Returns the columns of the default order. Undefined if one of its properties has no column. */
function sortColumns(
  declaration: EntitySetDeclaration,
  columns: readonly ColumnFacts[],
  dialect: DialectName,
): readonly SortColumn[] | undefined {
  const properties = propertiesOf(declaration);
  const names = [...new Set([...declaration.orderBy, ...Object.keys(declaration.key)])];
  const order = names.map((name) => {
    const property = properties.get(name) as PropertyDeclaration;
    const { source = name, facts } = property;
    const column = typeof source === "string" ? found(columns, source, dialect) : undefined;
    return column && { column: column.name, isText: isSortedAsText(property), nullable: facts.nullable };
  });
  return order.every((one) => one !== undefined) ? order : undefined;
}

/** True if an index, read forwards or backwards, begins with the order. */
function holdsOrder(
  index: readonly IndexColumn[],
  order: readonly SortColumn[],
  dialect: DialectName,
): boolean {
  const holds = (isReversed: boolean) =>
    order.every(({ column, isText, nullable }, i) => {
      const own = index[i];
      if (own === undefined || own.column !== column || own.descending !== isReversed) return false;
      if (dialect === "sqlite") return true;
      // PostgreSQL sorts nulls last unless told otherwise, which matters to it even where there are none.
      return own.nullsFirst === (nullable !== isReversed) && (own.byCodePoint || !isText);
    });
  return holds(false) || holds(true);
}
