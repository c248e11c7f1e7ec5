import type Database from "better-sqlite3";
import { encodings } from "../../src/compile/index.ts";
import {
  identifier,
  type Mapping,
  type Row,
  type StructuralProperty,
  sqlite,
  tableMapping,
} from "../../src/index.ts";
import { codecOf, render } from "../../src/run/index.ts";
import { collectionText } from "./collection-text.ts";

const quoted = (name: string): string => render(identifier(name), String).text;

/** Creates a table according to `mapping`, whose `from` must be `name`, and fills it. */
export function createSqliteTable(
  database: Database.Database,
  name: string,
  properties: readonly StructuralProperty[],
  rows: readonly Row[],
  mapping: Mapping = tableMapping(name),
): void {
  const columns = properties.map((property) => quoted(property.name));
  database.exec(`create table ${quoted(name)} (${columns.join(", ")})`);
  const insert = database.prepare(
    `insert into ${quoted(name)} values (${columns.map(() => "?").join(", ")})`,
  );
  database.transaction(() => {
    for (const row of rows)
      insert.run(...properties.map((property) => columnValue(property, row[property.name], mapping)));
  })();
}

function columnValue(property: StructuralProperty, json: unknown, mapping: Mapping): unknown {
  if (property.collection) return collectionText(property, json);
  if (json === undefined || json === null) return null;
  const { encoding = sqlite.columnEncodings[property.type] } = mapping.column(property);
  return encodings[encoding](codecOf(property.type).fromJson(json), property).value;
}
