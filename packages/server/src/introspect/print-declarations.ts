import type { DialectName } from "@cadastre/odata/run";
import { type Database, queryOf } from "../database.ts";
import {
  type PrintedMember,
  type PrintedSet,
  printModule,
  printPairs,
  uniqueNames,
} from "../print/print-module.ts";
import { catalogs } from "./catalogs.ts";
import { type DeclaredColumn, declareColumn } from "./declared-column.ts";
import type { ColumnFacts, TableFacts } from "./table-facts.ts";

/** Reads the tables of a database, and prints them as a module of declarations. */
export async function printDatabase(database: Database): Promise<string> {
  const run = queryOf(database);
  const { names, facts } = catalogs[database.dialect.name];
  const own = (await names(run)).filter(({ isAuxiliary }) => !isAuxiliary);
  return printDeclarations(await facts(run, own, true), database.dialect.name);
}

/** Makes a name of a database into one of OData: `asking price` → `asking_price`. */
function odataName(name: string): string {
  const letters = name.replaceAll(/[^\p{L}\p{Nd}_]/gu, "_").slice(0, 120);
  return /^[\p{L}_]/u.test(letters) ? letters : `_${letters}`;
}

/** A table with the declarations of its columns. */
type DeclaredTable = {
  readonly facts: TableFacts;
  /** Declaration by column. */
  readonly columns: ReadonlyMap<string, DeclaredColumn>;
};

/** A table with the names that its set and properties have. */
type NamedTable = DeclaredTable & {
  readonly name: string;
  /** Property by column; columns that are left out are absent. */
  readonly properties: ReadonlyMap<string, string>;
};

/**
 * Prints tables as a module of declarations, to start from. Columns of a type that does not tell how values are to be read, and tables
 * without a key, are left out, with a comment that says so.
 */
function printDeclarations(tables: readonly TableFacts[], database: DialectName): string {
  const declared = tables.map(
    (facts): DeclaredTable => ({
      facts,
      columns: new Map(facts.columns.map((column) => [column.name, declareColumn(column, database)])),
    }),
  );
  const served = declared.filter((table) => omission(table) === undefined);
  const names = uniqueNames(
    served.map(({ facts }) => facts.name),
    odataName,
  );
  const named = served.map((table): NamedTable => {
    const known = [...table.columns].flatMap(([name, column]) => ("text" in column ? [name] : []));
    return {
      ...table,
      name: names.get(table.facts.name) ?? table.facts.name,
      properties: uniqueNames(known, odataName),
    };
  });
  return printModule(
    "Made of a database. Give properties the names that clients are to see; their columns stay named by `.column(…)`.",
    declared.flatMap((table) => omission(table) ?? []),
    named.map((table) => printTable(table, named)),
  );
}

/** Returns why a table is left out. Undefined if it is not. */
function omission({ facts: { name, kind, key }, columns }: DeclaredTable): string | undefined {
  if (kind === "view")
    return `Left out: the view \`${name}\`, because a view has no primary key: declare it with the properties that identify a row.`;
  if (key.length === 0) return `Left out: the table \`${name}\`, because it has no primary key.`;
  for (const own of key) {
    const column = columns.get(own);
    if (column !== undefined && "reason" in column)
      return `Left out: the table \`${name}\`, because \`${own}\` of its primary key ${column.reason}.`;
  }
  return undefined;
}

function printTable(table: NamedTable, named: readonly NamedTable[]): PrintedSet {
  const { columns, key, name } = table.facts;
  const inKey = key.flatMap((own) => columns.filter((column) => column.name === own));
  const print = (column: ColumnFacts) => printColumn(column, table);
  return {
    name: table.name,
    table: name,
    key: inKey.map(print),
    properties: columns.filter((column) => !inKey.includes(column)).map(print),
    navigation: navigationOf(table, named),
  };
}

function printColumn(
  { name, nullable }: ColumnFacts,
  { facts, columns, properties }: NamedTable,
): PrintedMember {
  const column = columns.get(name) as DeclaredColumn;
  if ("reason" in column) return { comment: `Left out: \`${facts.name}.${name}\` ${column.reason}.` };
  const property = properties.get(name) ?? name;
  const source = column.isExpression === true || property === name ? "" : `.column(${JSON.stringify(name)})`;
  const isNullable = nullable && !facts.key.includes(name);
  return { name: property, text: `${column.text}${source}${isNullable ? ".nullable()" : ""}` };
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
