import type { PartFile } from "../content/read-part.ts";
import type { SchemaColumn, SchemaMember, SchemaType } from "../content/schema.ts";
import { duckdbTypes, sqlTypeOf } from "./column-types.ts";
import { offlineSettings } from "./offline-settings.ts";
import { driver, quoteIdentifier } from "./session.ts";

type NamedType = Extract<SchemaType, string>;

const asJson = (value: string): string => `cast(to_json(${value}) as varchar)`;
const quoted = (text: string): string => `'"' || ${text} || '"'`;

/** SQL of a value's JSON text, as JSON lines have it. Null for null. */
const texts: Readonly<Record<NamedType, (value: string) => string>> = {
  string: asJson,
  boolean: asJson,
  int32: asJson,
  int64: asJson,
  double: asJson,
  timestamp: (value) => quoted(`strftime(${value} at time zone 'UTC', '%Y-%m-%dT%H:%M:%S.%gZ')`),
  date: (value) => quoted(`cast(${value} as varchar)`),
  time: (value) => quoted(`cast(${value} as varchar)`),
  json: (value) => `cast(${value} as varchar)`,
};

/** Returns the SQL of the JSON text of a column or a member of one. @param depth number of lists around it */
function textOf(value: string, { type, collection }: SchemaMember, depth = 0): string {
  if (!collection) return textOfOne(value, type, depth);
  const item = `item${depth}`;
  const items = `list_transform(${value}, lambda ${item}: coalesce(${textOfOne(item, type, depth + 1)}, 'null'))`;
  return `'[' || array_to_string(${items}, ',') || ']'`;
}

function textOfOne(value: string, type: SchemaType, depth: number): string {
  if (typeof type === "string") return texts[type](value);
  if ("decimal" in type) {
    const digits = `cast(${value} as varchar)`;
    return type.decimal[1] === 0 ? digits : `rtrim(rtrim(${digits}, '0'), '.')`;
  }
  const members = type.struct.map((member) => {
    const own = `(${value}).${quoteIdentifier(member.name)}`;
    return `'"${member.name}":' || coalesce(${textOf(own, member, depth)}, 'null')`;
  });
  return `case when ${value} is not null then '{' || ${members.join(" || ',' || ")} || '}' end`;
}

/**
 * Reads the records of a Parquet part as JSON texts, with the exact digits of every number. Members that are null are left out.
 *
 * @param columns those of the schema document
 * @throws {ClientError} `target_lacks_driver`
 */
export async function* parquetLines(
  { file }: PartFile,
  columns: readonly SchemaColumn[],
): AsyncGenerator<readonly string[]> {
  const { DuckDBInstance } = await driver("@duckdb/node-api", () => import("@duckdb/node-api"));
  const instance = await DuckDBInstance.create(":memory:", offlineSettings);
  const connection = await instance.connect();
  try {
    const described = await connection.runAndReadAll("describe select * from read_parquet(?)", [file]);
    const present = new Set(described.getRowObjects().map((column) => String(column["column_name"])));
    const members = columns
      .filter(({ name }) => present.has(name))
      .map(
        (column) =>
          `'"${column.name}":' || ${textOf(`cast(${quoteIdentifier(column.name)} as ${sqlTypeOf(column, duckdbTypes)})`, column)}`,
      );
    const result = await connection.stream(
      `select '{' || concat_ws(',', ${members.join(", ")}) || '}' from read_parquet(?)`,
      [file],
    );
    for (
      let chunk = await result.fetchChunk();
      chunk !== null && chunk.rowCount > 0;
      chunk = await result.fetchChunk()
    )
      yield chunk.getColumnValues(0).map(String);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
