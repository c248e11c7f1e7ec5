import type { DialectName } from "@cadastre/odata/run";
import { type Database, queryOf } from "../database.ts";
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

const identifierPattern = /^[\p{L}_][\p{L}\p{Nd}_]{0,127}$/u;

/** Makes a name of a database into one of OData: `asking price` → `asking_price`. */
function odataName(name: string): string {
  const letters = name.replaceAll(/[^\p{L}\p{Nd}_]/gu, "_").slice(0, 127);
  return identifierPattern.test(letters) ? letters : `_${letters}`;
}

const indented = (lines: readonly string[], by: string): string => lines.map((line) => by + line).join("\n");

/**
 * Prints tables as a module of declarations, to start from. Columns of a type that does not tell how values are to be read, and tables
 * without a key, are left out, with a comment that says so.
 */
function printDeclarations(tables: readonly TableFacts[], database: DialectName): string {
  const served = tables.filter(({ key, columns }) => {
    const known = columns.filter((column) => declarationOf(column, database) !== undefined);
    return key.length > 0 && key.every((name) => known.some((column) => column.name === name));
  });
  const isDeclared = (table: string, columns: readonly string[]): boolean => {
    const own = served.find(({ name }) => name === table)?.columns ?? [];
    return columns.every((name) =>
      own.some((column) => column.name === name && declarationOf(column, database) !== undefined),
    );
  };
  const links = (table: TableFacts): TableFacts => ({
    ...table,
    foreignKeys: table.foreignKeys.filter(
      (link) =>
        isDeclared(table.name, Object.keys(link.on)) && isDeclared(link.table, Object.values(link.on)),
    ),
  });
  const names = new Set(served.map(({ name }) => name));
  const linked = served.map(links);
  const sets = linked.map((table) => printSet(table, linked, database));
  const omitted = tables
    .filter(({ name }) => !names.has(name))
    .map(({ name, kind, key }) =>
      kind === "view"
        ? `// Left out: the view \`${name}\`, because a view has no primary key: declare it with the properties that identify a row.`
        : `// Left out: the table \`${name}\`, ${key.length === 0 ? "because it has no primary key" : `whose primary key is of a type that OData does not have`}.`,
    );
  const used = new Set(sets.join("\n").match(/\b(?:entitySet|[a-z]\w*(?=\())/g));
  const imports = [...used].filter((name) => exported.has(name)).toSorted();
  return [
    "// Made of a database. Give properties the names that clients are to see; their columns stay named by `.column(…)`.",
    `import { ${imports.join(", ")} } from "@cadastre/server/model";`,
    "",
    ...omitted,
    sets.join("\n\n"),
    "",
    `export const entitySets = [${served.map(({ name }) => odataName(name)).join(", ")}] as const;`,
    "",
  ].join("\n");
}

/** Names that declarations use. */
const exported: ReadonlySet<string> = new Set([
  "bigInteger",
  "boolean",
  "date",
  "decimal",
  "double",
  "entitySet",
  "guid",
  "instant",
  "integer",
  "many",
  "one",
  "smallInteger",
  "text",
  "timeOfDay",
]);

function printSet(table: TableFacts, served: readonly TableFacts[], database: DialectName): string {
  const { name, columns, key } = table;
  const lines = columns.map((column) => ({ column, text: printProperty(column, key, database) }));
  const keyLines = key.flatMap((own) =>
    lines.filter(({ column }) => column.name === own).map(({ text }) => text),
  );
  const others = lines.filter(({ column }) => !key.includes(column.name)).map(({ text }) => text);
  const links = navigationOf(table, served);
  return [
    `export const ${odataName(name)} = entitySet("${odataName(name)}", {`,
    `  table: ${JSON.stringify(name)},`,
    "  key: {",
    indented(keyLines, "    "),
    "  },",
    "  properties: {",
    ...(others.length === 0 ? [] : [indented(others, "    ")]),
    "  },",
    ...(links.length === 0 ? [] : ["  navigation: {", indented(links, "    "), "  },"]),
    "});",
  ].join("\n");
}

function printProperty(column: ColumnFacts, key: readonly string[], database: DialectName): string {
  const { name, type, nullable } = column;
  const declaration = declarationOf(column, database);
  if (declaration === undefined)
    return `// Left out: \`${name}\` is of the type \`${type}\`, which does not say how its values are to be read.`;
  const own = odataName(name);
  const source = own === name ? "" : `.column(${JSON.stringify(name)})`;
  return `${own}: ${declaration}${source}${nullable && !key.includes(name) ? ".nullable()" : ""},`;
}

/** Prints the foreign keys of a table, and those of others that lead to it. */
function navigationOf(table: TableFacts, served: readonly TableFacts[]): readonly string[] {
  const taken = new Set(table.columns.map(({ name }) => odataName(name)));
  const free = (wanted: string): string => {
    let name = wanted;
    for (let i = 2; taken.has(name); i += 1) name = `${wanted}_${i}`;
    taken.add(name);
    return name;
  };
  const pairs = (on: Readonly<Record<string, string>>, isReversed: boolean): string =>
    Object.entries(on)
      .map(([own, other]) => (isReversed ? [other, own] : [own, other]))
      .map(([own = "", other = ""]) => `${odataName(own)}: "${odataName(other)}"`)
      .join(", ");
  const isServed = (name: string) => served.some((one) => one.name === name);
  const to = table.foreignKeys
    .filter((link) => isServed(link.table))
    .map(
      (link) =>
        `${free(odataName(link.table))}: one("${odataName(link.table)}", { ${pairs(link.on, false)} }),`,
    );
  const from = served.flatMap((other) =>
    other.foreignKeys
      .filter((link) => link.table === table.name)
      .map(
        (link) =>
          `${free(odataName(other.name))}: many("${odataName(other.name)}", { ${pairs(link.on, true)} }),`,
      ),
  );
  return [...to, ...from];
}
