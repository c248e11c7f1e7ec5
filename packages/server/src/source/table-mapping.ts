import type { Column, Mapping, SqlFragment } from "@cadastre/odata";
import { identifier } from "@cadastre/odata";
import type { EncodingName, Path } from "@cadastre/odata/compile";
import type { DialectName } from "@cadastre/odata/run";
import { propertiesOf } from "../model/entity-model.ts";
import type { EntitySetDeclaration } from "../model/entity-set.ts";
import type { DecimalStorage, InstantStorage, PropertyDeclaration } from "../model/property.ts";

/** Encodings of stored instants and decimals. */
const encodingOfStorage: Readonly<Record<InstantStorage | DecimalStorage, EncodingName>> = {
  "iso-text": "timestampText",
  "iso-text-seconds": "secondsText",
  milliseconds: "milliseconds",
  seconds: "seconds",
  "scaled-integer": "scaled",
  double: "double",
};

/** Types that SQLite has no exact form for, and the forms that it may store them in. */
const choices: Readonly<Record<string, string>> = {
  "Edm.DateTimeOffset":
    'instant("iso-text"), instant("iso-text-seconds"), instant("milliseconds") or instant("seconds")',
  "Edm.Decimal": 'decimal(precision, scale, "scaled-integer") or decimal(precision, scale, "double")',
};

/** @throws {TypeError} if it is not stated how SQLite stores a value that it has no type for */
export function requireStorage(declaration: EntitySetDeclaration): void {
  for (const [name, { facts, storage }] of propertiesOf(declaration)) {
    const choice = choices[facts.type];
    if (choice !== undefined && storage === undefined && !facts.collection)
      throw new TypeError(
        `\`${declaration.name}/${name}\`: SQLite has no ${facts.type}: state how it is stored, as ${choice}`,
      );
  }
}

const sourceOf = (name: string, { source = name }: PropertyDeclaration): SqlFragment =>
  typeof source === "string" ? identifier(source) : source;

/**
 * Maps a declared entity set to its table.
 *
 * @param where condition on all rows of the table
 * @param declarations all entity sets, which navigation leads to
 * @param mappingOf returns the mapping of another entity set, once all are made
 */
export function tableMappingOf(
  declaration: EntitySetDeclaration,
  dialect: DialectName,
  where: SqlFragment | undefined,
  declarations: ReadonlyMap<string, EntitySetDeclaration>,
  mappingOf: (entitySet: string) => Mapping,
): Mapping {
  const { table, navigation } = declaration;
  const columns = new Map<string, Column>(
    [...propertiesOf(declaration)].map(([name, property]) => {
      const { storage } = property;
      const encoding = storage === undefined ? {} : { encoding: encodingOfStorage[storage] };
      return [name, { sql: sourceOf(name, property), ...encoding }];
    }),
  );
  const column = (name: string): Column => {
    const found = columns.get(name);
    if (found === undefined) throw new TypeError(`\`${declaration.name}/${name}\` is not declared`);
    return found;
  };
  const paths = new Map<string, Path>(
    Object.entries(navigation).map(([name, { target, on }]) => {
      const targetColumn = (property: string): SqlFragment => {
        const other = declarations.get(target);
        const own = other && propertiesOf(other).get(property);
        return own === undefined ? identifier(property) : sourceOf(property, own);
      };
      const pairs = Object.entries(on).map(([parent, child]) => ({
        parent: column(parent).sql,
        child: targetColumn(child),
      }));
      return [name, { kind: "rows", mapping: () => mappingOf(target), on: pairs }];
    }),
  );
  return {
    from: typeof table === "string" ? identifier(table) : table,
    ...(where === undefined ? {} : { where }),
    column: ({ name }) => column(name),
    path: ({ name }) => paths.get(name),
    // Which indexes there are is not known. Without one that holds the order, ranges would cost a scan each.
    ranges: dialect === "postgres",
  };
}
