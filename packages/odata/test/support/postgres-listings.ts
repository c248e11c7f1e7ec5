import {
  type BoundQuery,
  codecOf,
  compileCount,
  compilePage,
  encodings,
  postgres,
  type StructuralProperty,
  tableMapping,
} from "../../src/index.ts";
import { postgresHelpers, postgresSettings } from "../../src/postgres/index.ts";
import { collectionText, listing, rows } from "./listing.ts";
import { startPostgres } from "./postgres.ts";

const columnTypes: Partial<Record<StructuralProperty["type"], string>> = {
  "Edm.Boolean": "boolean",
  "Edm.Byte": "smallint",
  "Edm.Int64": "bigint",
  "Edm.Decimal": "numeric",
  "Edm.Single": "real",
  "Edm.Double": "float8",
  "Edm.Date": "date",
  "Edm.DateTimeOffset": "timestamptz",
  "Edm.TimeOfDay": "time",
  "Edm.Duration": "numeric",
  "Edm.Guid": "uuid",
  "Edm.GeographyPoint": "jsonb",
};

const properties = [...listing.type.properties.values()];

const columnType = ({ type, collection, precision, scale }: StructuralProperty): string => {
  if (collection) return "jsonb";
  return scale === undefined ? (columnTypes[type] ?? "text") : `numeric(${precision}, ${scale})`;
};

function columnValue(property: StructuralProperty, json: unknown): unknown {
  if (property.collection) return collectionText(property, json);
  if (json === undefined) return null;
  const { type } = property;
  return encodings[postgres.encodings[type]](codecOf(type).fromJson(json), property).value;
}

/** The columns of the test table where it is named `property`. */
export const postgresMapping = tableMapping("property");

/** A server with helper functions, settings and the test table. */
export async function openPostgresListings() {
  const server = await startPostgres();
  const pool = server.connect(1);
  for (const statement of [...postgresSettings, ...postgresHelpers()]) await pool.query(statement);
  const columns = properties.map((property) => `"${property.name}" ${columnType(property)}`);
  await pool.query(`create table "property" (${columns.join(", ")})`);
  const places = properties.map((_, i) => `$${i + 1}`).join(", ");
  for (const row of rows) {
    const values = properties.map((property) => columnValue(property, row[property.name]));
    await pool.query(`insert into "property" values (${places})`, values);
  }
  const run = async (text: string, values: readonly unknown[]) =>
    (await pool.query<unknown[]>({ text, values: [...values], rowMode: "array" })).rows;
  return {
    pool,
    async keys(query: BoundQuery): Promise<readonly unknown[]> {
      return (await this.page({ ...query, select: query.select.slice(0, 1) })).map(([key]) => key);
    },
    async page(query: BoundQuery): Promise<readonly (readonly unknown[])[]> {
      const { text, values } = compilePage(query, postgres, postgresMapping, { order: true });
      return run(text, values);
    },
    async count(query: BoundQuery): Promise<number> {
      const { text, values } = compileCount(query, postgres, postgresMapping);
      return Number((await run(text, values))[0]?.[0]);
    },
    async close() {
      await pool.end();
      await server.stop();
    },
  };
}
