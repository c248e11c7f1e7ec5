import type { Manifest, ManifestDataset, ManifestProfile } from "@cadastre/manifest";
import type { DeliveredSchema, SchemaColumn } from "../content/schema.ts";
import { ClientError } from "../errors.ts";
import { duckdbTypes, postgresTypes, sqlTypeOf } from "./column-types.ts";
import { quoteIdentifier, quoteSqlText } from "./session.ts";
import { bigqueryTypeOf, quoteBigqueryName, snowflakeTypes } from "./warehouse-types.ts";

type Format = ManifestProfile["format"];

/** A dataset of a delivery, and where a database finds its files. */
type Source = {
  readonly dataset: ManifestDataset;
  readonly columns: readonly SchemaColumn[];
  readonly profile: ManifestProfile;
  /** Names of the files with rows. */
  readonly files: readonly string[];
  /** Folder, or address of a bucket's folder, without a slash at its end. */
  readonly from: string;
};

/** A database that statements are written for. */
type Dialect = {
  readonly quote: (name: string) => string;
  readonly typeOf: (column: SchemaColumn) => string;
  /** Statements before the first table. */
  readonly before?: (from: string, profile: ManifestProfile) => string;
  /** Statement, or a comment, that loads the rows of a table. */
  readonly load: (source: Source) => string;
  /** Declaration of the key; undefined if tables have none. */
  readonly key: (key: string) => string | undefined;
};

/** Returns the end of the names of a delivery's parts, such as `csv.gz`. */
const endingOf = ({ format, compression }: ManifestProfile): string =>
  `${format}${compression === "gzip" ? ".gz" : ""}`;

/** Table functions of DuckDB. @param files list of them as SQL @param types types of the columns as SQL */
const duckdbReaders: Readonly<Record<Format, (files: string, types: string) => string>> = {
  parquet: (files) => `read_parquet(${files})`,
  csv: (files) => `read_csv(${files}, header = true, all_varchar = true, allow_quoted_nulls = false)`,
  jsonl: (files, types) => `read_json(${files}, format = 'newline_delimited', columns = {${types}})`,
};

const snowflakeFormats: Readonly<Record<Format, string>> = {
  parquet: "type = parquet use_logical_type = true",
  csv: "type = csv parse_header = true field_optionally_enclosed_by = '\"' empty_field_as_null = true",
  jsonl: "type = json",
};

const bigqueryFormats: Readonly<Record<Format, string>> = {
  parquet: "format = 'PARQUET', enable_list_inference = true",
  csv: "format = 'CSV', skip_leading_rows = 1, allow_quoted_newlines = true",
  jsonl: "format = 'NEWLINE_DELIMITED_JSON'",
};

/** Addresses that mean the same in the literals of all databases and in a shell. */
const plainAddress = /^[\w./:@~+=,% -]+$/;

/** Databases by the name that the option `--for` has. */
const dialects = {
  duckdb: {
    quote: quoteIdentifier,
    typeOf: (column) => sqlTypeOf(column, duckdbTypes),
    key: (key) => `primary key (${key})`,
    load: ({ dataset, columns, profile, files, from }) => {
      const list = `[${files.map((name) => quoteSqlText(`${from}/${name}`)).join(", ")}]`;
      const types = columns.map(
        (column) => `${quoteIdentifier(column.name)}: ${quoteSqlText(sqlTypeOf(column, duckdbTypes))}`,
      );
      const read = duckdbReaders[profile.format](list, types.join(", "));
      // A cell of CSV is a text: lists and objects are JSON in it.
      const cells = columns.map((column) => {
        const name = quoteIdentifier(column.name);
        const isNested = column.collection || (typeof column.type === "object" && "struct" in column.type);
        return isNested ? `cast(${name} as json)` : name;
      });
      return profile.format === "csv"
        ? `insert into ${quoteIdentifier(dataset.name)} select ${cells.join(", ")} from ${read};`
        : `insert into ${quoteIdentifier(dataset.name)} by name select * from ${read};`;
    },
  },
  postgres: {
    quote: quoteIdentifier,
    typeOf: (column) => sqlTypeOf(column, postgresTypes),
    key: (key) => `primary key (${key})`,
    load: ({ dataset, columns, profile, files, from }) => {
      if (profile.format !== "csv")
        return `-- COPY of PostgreSQL reads CSV: ask for a profile in CSV, or load ${profile.format} with cadastre-client pull --into postgres:`;
      const list = columns.map(({ name }) => quoteIdentifier(name)).join(", ");
      const unpack = profile.compression === "gzip" ? "gunzip -c" : "cat";
      return files
        .map(
          (name) =>
            `\\copy ${quoteIdentifier(dataset.name)} (${list}) from program ${quoteSqlText(`${unpack} "${from}/${name}"`)} with (format csv, header true)`,
        )
        .join("\n");
    },
  },
  snowflake: {
    quote: quoteIdentifier,
    typeOf: (column) => sqlTypeOf(column, snowflakeTypes),
    key: (key) => `primary key (${key})`,
    before: (from, { format }) =>
      `create temporary stage cadastre_delivery url = ${quoteSqlText(`${from}/`)}; -- with credentials or a storage_integration\ncreate temporary file format cadastre_format ${snowflakeFormats[format]};`,
    load: ({ dataset, profile }) =>
      `copy into ${quoteIdentifier(dataset.name)} from @cadastre_delivery pattern = ${quoteSqlText(`.*/?${dataset.name}-[0-9]+[.]${endingOf(profile).replaceAll(".", "[.]")}`)}
  file_format = (format_name = 'cadastre_format') match_by_column_name = case_sensitive on_error = abort_statement;`,
  },
  bigquery: {
    quote: quoteBigqueryName,
    typeOf: bigqueryTypeOf,
    // Keys are not enforced there.
    key: () => undefined,
    load: ({ dataset, profile, files, from }) =>
      `load data into \`${dataset.name}\` from files (
  ${bigqueryFormats[profile.format]},
  uris = [${files.map((name) => quoteSqlText(`${from}/${name}`)).join(", ")}]
);`,
  },
} as const satisfies Record<string, Dialect>;

export type SqlDialect = keyof typeof dialects;
export const sqlDialects = Object.keys(dialects) as readonly SqlDialect[];

/**
 * Returns the statements that create and fill the tables of a delivery, by its schema document.
 *
 * @param from folder, or address in a bucket, of the delivery
 * @throws {ClientError} `schema_missing`, and `folder_invalid` for an address with quotes and the like
 */
export function sqlScript(
  manifest: Manifest,
  schema: DeliveredSchema | undefined,
  { dialect, from }: { readonly dialect: SqlDialect; readonly from: string },
): string {
  if (!plainAddress.test(from))
    throw new ClientError("folder_invalid", {
      folder: from,
      reason: "its name has characters that statements would have to escape: name the place with `--from`",
    });
  const known: Dialect = dialects[dialect];
  const { profile } = manifest;
  const tables = manifest.datasets.map((dataset) => {
    const columns = schema?.get(dataset.name);
    if (columns === undefined) throw new ClientError("schema_missing", { dataset: dataset.name });
    const files = manifest.parts
      .filter((part) => part.dataset === dataset.name && part.content === "rows")
      .map(({ name }) => name);
    const declared = columns.map((column) => `${known.quote(column.name)} ${known.typeOf(column)}`);
    const key = known.key(known.quote(dataset.keyField));
    const lines = [...declared, ...(key === undefined ? [] : [key])].map((line) => `  ${line}`);
    const table = `create table ${known.quote(dataset.name)} (\n${lines.join(",\n")}\n);`;
    return files.length === 0 ? table : `${table}\n${known.load({ dataset, columns, profile, files, from })}`;
  });
  const before = known.before?.(from, profile);
  return `${[...(before === undefined ? [] : [before]), ...tables].join("\n\n")}\n`;
}
