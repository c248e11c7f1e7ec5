import fc from "fast-check";
import {
  type BoundQuery,
  bindQuery,
  compareRows,
  compileCount,
  compilePage,
  type EntitySet,
  matches,
  type PrimitiveType,
  parseFilter,
  parseOrderBy,
  QueryError,
  type Row,
  type StructuralProperty,
  tableMapping,
} from "../../src/index.ts";
import type { EnumType } from "../../src/model/types.ts";
import { callTexts, literals } from "../../src/testing/calls.ts";
import { comparator, numberOperand } from "../../src/testing/comparisons.ts";
import type { TestDatabase } from "./databases.ts";

/** A test case: an entity set, its mapping, its rows, and queries over it. */
export type Case = {
  readonly entitySet: EntitySet;
  /** Column name of each property. */
  readonly columns: Readonly<Record<string, string>>;
  readonly rows: readonly Row[];
  readonly filters: readonly string[];
  readonly orderBy: string;
};

/** Names that OData allows, including names with another meaning in databases. */
const propertyNames = [
  "Name",
  "name",
  "select",
  "order",
  "Größe",
  "_x",
  "value",
  "key",
  "path",
  "json",
  "rowid",
  "item0",
  "order0",
  "count",
];
const columnName = fc
  .array(fc.constantFrom("a", "A", '"', "'", " ", ";", "?", "$1", "--", ".", "é", "table"), {
    minLength: 1,
    maxLength: 4,
  })
  .map((parts) => parts.join(""));

const text = fc.oneof(
  fc.constantFrom("", " ", "York", "york", "100%", "a_b", "'", "\\", "😀", "\uffee", "é"),
  fc.string({ unit: "grapheme", maxLength: 5 }).filter((one) => !one.includes("\0")),
);
const integer = (bits: number, signed = true) => {
  const [least, greatest] = signed
    ? [-(2n ** BigInt(bits - 1)), 2n ** BigInt(bits - 1) - 1n]
    : [0n, 2n ** BigInt(bits) - 1n];
  return fc
    .oneof(fc.bigInt({ min: least, max: greatest }), fc.constantFrom(0n, 1n, least, greatest))
    .map(String);
};
const double = fc.double({ noNaN: true, noDefaultInfinity: true }).map((one) => (one === 0 ? 0 : one));
const pad = (part: number, width: number) => String(part).padStart(width, "0");
const date = fc
  .tuple(
    fc.oneof(fc.integer({ min: 1, max: 9999 }), fc.constantFrom(1, 2024, 9999)),
    fc.integer({ min: 1, max: 12 }),
    fc.integer({ min: 1, max: 28 }),
  )
  .map(([year, month, day]) => `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`);
const time = (digits: number) =>
  fc
    .tuple(fc.nat(23), fc.nat(59), fc.nat(59), fc.nat(10 ** digits - 1))
    .map(
      ([hour, minute, second, rest]) =>
        `${pad(hour, 2)}:${pad(minute, 2)}:${pad(second, 2)}.${pad(rest, digits)}`,
    );

/** JSON values that all databases store unchanged. */
const values: Readonly<Partial<Record<PrimitiveType, fc.Arbitrary<unknown>>>> = {
  "Edm.String": text,
  "Edm.Boolean": fc.boolean(),
  "Edm.Byte": integer(8, false),
  "Edm.SByte": integer(8),
  "Edm.Int16": integer(16),
  "Edm.Int32": integer(32),
  "Edm.Int64": integer(64),
  "Edm.Single": double.map(Math.fround).filter(Number.isFinite),
  "Edm.Double": double,
  "Edm.Date": date,
  "Edm.DateTimeOffset": fc.tuple(date, time(3)).map((parts) => `${parts.join("T")}Z`),
  "Edm.TimeOfDay": time(6),
  "Edm.Duration": fc.integer({ min: -1e9, max: 1e9 }).map((s) => `${s < 0 ? "-" : ""}PT${Math.abs(s)}S`),
  "Edm.Guid": fc.uuid(),
};
const types = [...Object.keys(values), "Edm.Decimal"] as PrimitiveType[];

/** Enumerations: with the default numbers and with others, of single values and of flags. */
const enumTypes: readonly EnumType[] = [
  { name: "Ns.Color", members: ["Red", "Green", "Blue"], isFlags: false },
  { name: "Ns.Grade", members: ["A", "B", "C"], values: [30, -2, 0], isFlags: false },
  { name: "Ns.Views", members: ["Lake", "City", "Sea"], isFlags: true },
  { name: "Ns.Rights", members: ["Read", "Write"], values: [8, 2n ** 40n], isFlags: true },
];

/** Texts of the values of an enumeration as columns hold them. */
const memberText = ({ members, isFlags }: EnumType): fc.Arbitrary<string> =>
  isFlags ? fc.subarray([...members]).map((names) => names.join()) : fc.constantFrom(...members);

const numbersOf = ({ values, members, isFlags }: EnumType): readonly bigint[] =>
  members.map((_, i) => BigInt(values?.[i] ?? (isFlags ? 2 ** i : i)));

/** Literals of an enumeration: by names or numbers, with and without prefix. */
const memberLiteral = (type: EnumType): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.subarray(
        type.members.flatMap((name, i) => [name, String(numbersOf(type)[i])]),
        { minLength: 1, ...(type.isFlags ? {} : { maxLength: 1 }) },
      ),
      fc.constantFrom("", type.name),
    )
    .map(([parts, prefix]) => `${prefix}'${parts.join()}'`);

const property: fc.Arbitrary<StructuralProperty> = fc
  .record({
    name: fc.constantFrom(...propertyNames),
    type: fc.constantFrom("Edm.String", ...types),
    collection: fc.integer({ max: 4, min: 0 }).map((n) => n === 0),
    nullable: fc.boolean(),
    precision: fc.constant(14),
    scale: fc.integer({ min: 0, max: 6 }),
    enumType: fc.option(fc.constantFrom(...enumTypes)),
  })
  .map(({ precision, scale, collection, enumType, ...rest }) => ({
    ...rest,
    ...(rest.type === "Edm.String" && enumType !== null ? { enumType } : {}),
    collection: collection && ["Edm.String", "Edm.Int64", "Edm.Boolean"].includes(rest.type),
    ...(rest.type === "Edm.Decimal" ? { precision, scale } : {}),
  }));

function valuesOf({
  type,
  collection,
  nullable,
  scale = 0,
  enumType,
}: StructuralProperty): fc.Arbitrary<unknown> {
  const decimal = fc.integer({ min: -1e9, max: 1e9 }).map((n) => (n / 10 ** scale).toFixed(scale));
  const one = enumType === undefined ? (values[type] ?? decimal) : memberText(enumType);
  if (collection) return fc.array(fc.option(one, { freq: 4 }), { maxLength: 3 });
  return nullable ? fc.option(one, { freq: 3 }) : one;
}

const key: StructuralProperty = { name: "Id", type: "Edm.Int32", collection: false, nullable: false };

function filtersOf(entitySet: EntitySet, properties: readonly StructuralProperty[]): fc.Arbitrary<string> {
  const comparisons = properties.map(({ name, type, collection, enumType }) => {
    const literal = enumType === undefined ? (literals[type] ?? numberOperand) : memberLiteral(enumType);
    if (collection)
      return fc
        .tuple(fc.constantFrom("any", "all"), comparator, literal)
        .map(([operator, comparing, value]) => `${name}/${operator}(x:x ${comparing} ${value})`);
    const others = properties.filter(
      (other) => other.type === type && other.enumType === enumType && !other.collection,
    );
    const operand = fc.oneof(
      literal,
      fc.constant("null"),
      fc.constantFrom(...others.map((other) => other.name)),
    );
    return fc.oneof(
      fc.tuple(comparator, operand).map(([comparing, value]) => `${name} ${comparing} ${value}`),
      fc.array(literal, { minLength: 1, maxLength: 3 }).map((items) => `${name} in (${items.join()})`),
      ...(enumType?.isFlags === true ? [literal.map((flags) => `${name} has ${flags}`)] : []),
    );
  });
  return fc.letrec<{ filter: string }>((tie) => ({
    filter: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.oneof(...comparisons),
      callTexts(entitySet),
      tie("filter").map((inner) => `not (${inner})`),
      fc
        .tuple(tie("filter"), fc.constantFrom("and", "or"), tie("filter"))
        .map(([left, operator, right]) => `((${left}) ${operator} (${right}))`),
    ),
  })).filter;
}

/** A random schema with random rows and queries. */
export const cases: fc.Arbitrary<Case> = fc
  .uniqueArray(property, { minLength: 1, maxLength: 7, selector: ({ name }) => name })
  .chain((properties) => {
    const all = [key, ...properties];
    const entitySet: EntitySet = {
      name: "Generated",
      type: { name: "Row", key: ["Id"], properties: new Map(all.map((one) => [one.name, one])) },
    };
    const sortable = all.filter(({ collection }) => !collection);
    return fc.record({
      entitySet: fc.constant(entitySet),
      columns: fc
        .uniqueArray(columnName, {
          minLength: all.length,
          maxLength: all.length,
          selector: (name) => name.toLowerCase(),
        })
        .map((names) => Object.fromEntries(all.map(({ name }, i) => [name, names[i] ?? name]))),
      rows: fc
        .array(fc.record(Object.fromEntries(properties.map((one) => [one.name, valuesOf(one)]))), {
          maxLength: 12,
        })
        .map((rows) => rows.map((row, Id) => ({ ...row, Id }))),
      filters: fc.array(filtersOf(entitySet, properties), { minLength: 1, maxLength: 8 }),
      orderBy: fc
        .array(
          fc.tuple(fc.constantFrom(...sortable.map(({ name }) => name)), fc.constantFrom("asc", "desc")),
          { minLength: 1, maxLength: 3 },
        )
        .map((items) => items.map((item) => item.join(" ")).join()),
    });
  });

/**
 * Describes the first difference between a database and in-memory evaluation, with the query; undefined if there is
 * none.
 */
export async function disagreementOf(
  { entitySet, columns, rows, filters, orderBy }: Case,
  { dialect, fill, run, execute }: TestDatabase,
): Promise<string | undefined> {
  const columnOf = (name: string): string => columns[name] ?? name;
  const stored = [...entitySet.type.properties.values()].map((one) => ({ ...one, name: columnOf(one.name) }));
  await fill(
    { ...entitySet, type: { ...entitySet.type, properties: new Map(stored.map((one) => [one.name, one])) } },
    rows.map((row) =>
      Object.fromEntries(Object.entries(row).map(([name, value]) => [columnOf(name), value])),
    ),
  );
  const mapping = tableMapping(entitySet.name, columns);
  const idsOf = async (query: BoundQuery, after = query.after) =>
    run(
      compilePage({ ...query, select: query.select.slice(0, 1), after }, dialect, mapping, { order: true }),
    );
  const report = (text: string, expected: unknown, found: unknown) => {
    const schema = stored.map(
      ({ name, type, scale }) => `${name}: ${type}${scale === undefined ? "" : `(${scale})`}`,
    );
    return `${dialect.name}: ${text}\nmemory ${JSON.stringify(expected)}, found ${JSON.stringify(found, (_, one: unknown) => (typeof one === "bigint" ? String(one) : one))}\n${schema.join(", ")}\n${JSON.stringify(rows)}`;
  };
  const sameIds = (found: readonly (readonly unknown[])[], expected: readonly Row[]) =>
    found.length === expected.length && expected.every(({ Id }, i) => Number(found[i]?.[0]) === Id);
  try {
    for (const text of filters) {
      const query = boundOrNull(text, entitySet);
      if (query === null) continue;
      const expected = rows.filter((row) => matches(query.filter, row));
      const found = await idsOf(query);
      const [[count] = []] = await run(compileCount(query, dialect, mapping));
      if (!sameIds(found, expected) || Number(count) !== expected.length)
        return report(
          `$filter=${text}`,
          expected.map(({ Id }) => Id),
          [found, count],
        );
    }
    const query = bindQuery({ orderBy: parseOrderBy(orderBy), top: 3 }, entitySet);
    const expected = rows.toSorted((a, b) => compareRows(query.orderBy, a, b));
    const walked: (readonly unknown[])[] = [];
    for (let page = await idsOf(query); page.length > 0 && walked.length <= rows.length; ) {
      walked.push(...page);
      page = await idsOf(query, page.at(-1)?.slice(1) ?? null);
    }
    if (!sameIds(walked, expected))
      return report(
        `$orderby=${orderBy}`,
        expected.map(({ Id }) => Id),
        walked,
      );
    return undefined;
  } finally {
    await execute(`drop table "${entitySet.name}"`);
  }
}

/**
 * Binds a filter. Null if no overload fits: overloads are chosen by all arguments, so not every choice of arguments
 * has one.
 */
function boundOrNull(text: string, entitySet: EntitySet): BoundQuery | null {
  try {
    return bindQuery({ filter: parseFilter(text), top: 100 }, entitySet);
  } catch (error) {
    if (error instanceof QueryError) return null;
    throw error;
  }
}
