import { writtenType } from "../format/duckdb-types.ts";
import type { ExportColumn, ExportType } from "../source/export-source.ts";

/** Names of a column's type in other systems. */
export type ColumnForms = {
  /** OData type, such as `Edm.Decimal` or `Collection(Edm.String)`. */
  readonly edmType: string;
  /** Logical type in Parquet. */
  readonly parquet: string;
  /** Type in Apache Arrow. */
  readonly arrow: string;
  /** Column types of the databases that the client loads into. */
  readonly sql: { readonly duckdb: string; readonly postgres: string; readonly sqlite: string };
};

type NamedType = Extract<ExportType, string>;

type ValueForms = Omit<ColumnForms, "sql"> & { readonly postgres: string; readonly sqlite: string };

/** Names of the types without parameters. SQLite has no types for times, so that their texts sort as they do. */
const forms: Readonly<Record<NamedType, ValueForms>> = {
  string: { edmType: "Edm.String", parquet: "STRING", arrow: "utf8", postgres: "text", sqlite: "text" },
  boolean: {
    edmType: "Edm.Boolean",
    parquet: "BOOLEAN",
    arrow: "bool",
    postgres: "boolean",
    sqlite: "boolean",
  },
  int32: { edmType: "Edm.Int32", parquet: "INT32", arrow: "int32", postgres: "integer", sqlite: "integer" },
  int64: { edmType: "Edm.Int64", parquet: "INT64", arrow: "int64", postgres: "bigint", sqlite: "integer" },
  double: {
    edmType: "Edm.Double",
    parquet: "DOUBLE",
    arrow: "float64",
    postgres: "double precision",
    sqlite: "real",
  },
  timestamp: {
    edmType: "Edm.DateTimeOffset",
    parquet: "TIMESTAMP(MICROS,UTC)",
    arrow: "timestamp[us, tz=UTC]",
    postgres: "timestamp with time zone",
    sqlite: "text",
  },
  date: { edmType: "Edm.Date", parquet: "DATE", arrow: "date32[day]", postgres: "date", sqlite: "text" },
  time: {
    edmType: "Edm.TimeOfDay",
    parquet: "TIME(MICROS)",
    arrow: "time64[us]",
    postgres: "time without time zone",
    sqlite: "text",
  },
  json: { edmType: "Edm.Untyped", parquet: "JSON", arrow: "utf8", postgres: "jsonb", sqlite: "text" },
};

/** Largest precision of a decimal that a double, and so a number of SQLite, holds exactly. */
const exactDigits = 15;

function valueForms(type: ExportType): ValueForms {
  if (typeof type === "string") return forms[type];
  if ("decimal" in type) {
    const [precision, scale] = type.decimal;
    const facets = `(${precision},${scale})`;
    return {
      edmType: "Edm.Decimal",
      parquet: `DECIMAL${facets}`,
      arrow: `decimal128(${precision}, ${scale})`,
      postgres: `numeric${facets}`,
      // Without a type SQLite keeps what it is given: a number if that is exact, else the digits as text.
      sqlite: precision <= exactDigits ? `decimal${facets}` : "",
    };
  }
  const members = type.struct.map((member) => [member.name, columnForms(member)] as const);
  const listed = (form: "parquet" | "arrow") =>
    members.map(([name, of]) => `${name}: ${of[form]}`).join(", ");
  return {
    edmType: "Edm.Untyped",
    parquet: `STRUCT<${listed("parquet")}>`,
    arrow: `struct<${listed("arrow")}>`,
    postgres: "jsonb",
    sqlite: "text",
  };
}

/** Returns the names of a column's type. Lists and objects are JSON in PostgreSQL and SQLite, and native types elsewhere. */
export function columnForms(column: ExportColumn): ColumnForms {
  const { type, collection, facets } = column;
  const { edmType: implied, parquet, arrow, postgres, sqlite } = valueForms(type);
  const edmType = facets?.edmType ?? implied;
  const duckdb = writtenType(column);
  return collection
    ? {
        edmType: `Collection(${edmType})`,
        parquet: `LIST<${parquet}>`,
        arrow: `list<${arrow}>`,
        sql: { duckdb, postgres: "jsonb", sqlite: "text" },
      }
    : { edmType, parquet, arrow, sql: { duckdb, postgres, sqlite } };
}
