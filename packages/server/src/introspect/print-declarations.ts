import type { DialectName } from "@cadastre/odata/run";
import { type Database, queryOf } from "../database.ts";
import {
  type PrintedMember,
  type PrintedSet,
  printModule,
  printPairs,
  uniqueNames,
} from "../print/print-module.ts";
import { type ColumnFacts, catalogs, type TableFacts } from "./table-facts.ts";

/** Declarations by declared type, for both databases. */
const declarations: readonly (readonly [RegExp, (column: ColumnFacts) => string])[] = [
  [/^(?:smallint|int2)$/, () => "smallInteger()"],
  [/^(?:bigint|int8)$/, () => "bigInteger()"],
  [/^(?:integer|int|int4|mediumint|tinyint)$/, () => "integer()"],
  [/^(?:boolean|bool)$/, () => "boolean()"],
  [/^(?:real|float4|double precision|double|float|float8)$/, () => "double()"],
  [/^uuid$/, () => "guid()"],
  [/^date$/, () => "date()"],
  [/^time(?: without time zone)?$/, () => "timeOfDay()"],
  [
    /^(?:varchar|character varying|char|character|nchar|nvarchar)$/,
    ({ facets: [length] }) => `text(${length ?? ""})`,
  ],
  [/^(?:text|clob|citext|)$/, () => "text()"],
];

/** Reads the tables of a database, and prints them as a module of declarations. */
export async function printDatabase(database: Database): Promise<string> {
  const run = queryOf(database);
  const { names, facts } = catalogs[database.dialect.name];
  return printDeclarations(await facts(run, await names(run)), database.dialect.name);
}

/** A decimal without a declared precision may have any; in SQLite it is a double then. */
function decimalText({ facets: [precision, scale = 0] }: ColumnFacts, isSqlite: boolean): string {
  if (precision === undefined) return isSqlite ? "double()" : "decimal()";
  return `decimal(${precision}, ${scale}${isSqlite ? ', "double"' : ""})`;
}

/** Returns how SQLite stores an instant, by an example. Undefined if the example does not tell. */
function storageOf(example: unknown): string | undefined {
  if (typeof example === "number" || typeof example === "bigint")
    return Number(example) > 100_000_000_000 ? "milliseconds" : "seconds";
  if (typeof example !== "string") return undefined;
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(example)) return "iso-text";
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(example) ? "iso-text-seconds" : undefined;
}

/** Returns the declaration of a column; undefined if no type of OData fits for certain. */
export function declarationOf(column: ColumnFacts, database: DialectName): string | undefined {
  const { type, example } = column;
  const isSqlite = database === "sqlite";
  if (/^(?:numeric|decimal)$/.test(type)) return decimalText(column, isSqlite);
  if (type === "timestamp with time zone") return "instant()";
  if (isSqlite && /^(?:datetime|timestamp)/.test(type)) {
    const storage = storageOf(example);
    return storage === undefined ? undefined : `instant("${storage}")`;
  }
  return declarations.find(([pattern]) => pattern.test(type))?.[1](column);
}

/** Makes a name of a database into one of OData: `asking price` → `asking_price`. */
function odataName(name: string): string {
  const letters = name.replaceAll(/[^\p{L}\p{Nd}_]/gu, "_").slice(0, 120);
  return /^[\p{L}_]/u.test(letters) ? letters : `_${letters}`;
}

/** A table with the names that its set and properties have. */
type NamedTable = {
  readonly facts: TableFacts;
  readonly name: string;
  /** Property by column; columns that are left out are absent. */
  readonly properties: ReadonlyMap<string, string>;
};

/**
 * Prints tables as a module of declarations, to start from. Columns of a type that does not tell how values are to be read, and tables
 * without a key, are left out, with a comment that says so.
 */
function printDeclarations(tables: readonly TableFacts[], database: DialectName): string {
  const isKnown = (column: ColumnFacts) => declarationOf(column, database) !== undefined;
  const served = tables.filter(
    ({ key, columns }) =>
      key.length > 0 && key.every((name) => columns.some((one) => one.name === name && isKnown(one))),
  );
  const names = uniqueNames(
    served.map(({ name }) => name),
    odataName,
  );
  const named = served.map(
    (facts): NamedTable => ({
      facts,
      name: names.get(facts.name) ?? facts.name,
      properties: uniqueNames(
        facts.columns.filter(isKnown).map(({ name }) => name),
        odataName,
      ),
    }),
  );
  return printModule(
    "Made of a database. Give properties the names that clients are to see; their columns stay named by `.column(…)`.",
    tables.filter((table) => !served.includes(table)).map((table) => omission(table, isKnown)),
    named.map((table) => printTable(table, named, database)),
  );
}

function omission(
  { name, kind, key, columns }: TableFacts,
  isKnown: (column: ColumnFacts) => boolean,
): string {
  if (kind === "view")
    return `Left out: the view \`${name}\`, because a view has no primary key: declare it with the properties that identify a row.`;
  if (key.length === 0) return `Left out: the table \`${name}\`, because it has no primary key.`;
  const unknown = columns.find((column) => key.includes(column.name) && !isKnown(column));
  return `Left out: the table \`${name}\`, because \`${unknown?.name}\` of its primary key ${unknownType(unknown?.type)}.`;
}

const unknownType = (type: string | undefined): string =>
  `is of the type \`${type}\`, which does not say how its values are to be read`;

function printTable(table: NamedTable, named: readonly NamedTable[], database: DialectName): PrintedSet {
  const { columns, key, name } = table.facts;
  const inKey = key.flatMap((own) => columns.filter((column) => column.name === own));
  const print = (column: ColumnFacts) => printColumn(column, table, database);
  return {
    name: table.name,
    table: name,
    key: inKey.map(print),
    properties: columns.filter((column) => !inKey.includes(column)).map(print),
    navigation: navigationOf(table, named),
  };
}

function printColumn(
  column: ColumnFacts,
  { properties, facts }: NamedTable,
  database: DialectName,
): PrintedMember {
  const declaration = declarationOf(column, database);
  const name = properties.get(column.name);
  if (declaration === undefined || name === undefined)
    return { comment: `Left out: \`${facts.name}.${column.name}\` ${unknownType(column.type)}.` };
  const source = name === column.name ? "" : `.column(${JSON.stringify(column.name)})`;
  const isNullable = column.nullable && !facts.key.includes(column.name);
  return { name, text: `${declaration}${source}${isNullable ? ".nullable()" : ""}` };
}

/** Prints the foreign keys of a table, and those of others that lead to it, where both of their sides are declared. */
function navigationOf(table: NamedTable, named: readonly NamedTable[]): readonly PrintedMember[] {
  const links = named.flatMap((owner) =>
    owner.facts.foreignKeys.flatMap((link) => {
      const target = named.find(({ facts }) => facts.name === link.table);
      const pairs = Object.entries(link.on).map(
        ([own, other]) => [owner.properties.get(own), target?.properties.get(other)] as const,
      );
      const declared = pairs.filter(
        (pair): pair is readonly [string, string] => pair[0] !== undefined && pair[1] !== undefined,
      );
      return target === undefined || declared.length < pairs.length
        ? []
        : [{ owner, target, pairs: declared }];
    }),
  );
  const to = links.filter(({ owner }) => owner === table);
  const from = links.filter(({ target }) => target === table);
  const members = [
    ...to.map(({ target, pairs }) => ({
      wanted: target.name,
      text: `one(${JSON.stringify(target.name)}, ${printPairs(pairs)})`,
    })),
    ...from.map(({ owner, pairs }) => ({
      wanted: owner.name,
      text: `many(${JSON.stringify(owner.name)}, ${printPairs(pairs.map(([own, other]) => [other, own]))})`,
    })),
  ];
  const free = uniqueNames(
    members.map((_, i) => String(i)),
    (i) => members[Number(i)]?.wanted ?? i,
    table.properties.values(),
  );
  return members.map(({ text }, i) => ({ name: free.get(String(i)) ?? "", text }));
}
