import type { Operand } from "../compile/compile-context.ts";
import type { PrimitiveType } from "../model/types.ts";
import type { Dialect, DialectName } from "../sql/dialect.ts";
import type { EncodingName } from "../sql/encoding.ts";
import { type SqlFragment, sql, value } from "../sql/fragment.ts";
import type { BoundAggregate } from "./bound-apply.ts";

/** A compiled aggregate. */
export type CompiledAggregate = {
  /** The operand, to be selected in the rows under its name; undefined for `$count`. */
  readonly operand: SqlFragment | undefined;
  /** Returns the aggregate over the groups of the rows. `only` is the `filter` clause, or empty. */
  readonly result: (only: SqlFragment) => SqlFragment;
  readonly form: EncodingName;
};

/** An operand in the encoding of its column, and the name that it is selected under. */
type NamedOperand = Operand & { readonly name: SqlFragment };

/** An aggregate call over an operand. */
type Call = (operand: NamedOperand, only: SqlFragment, dialect: Dialect) => SqlFragment;

const sortable = ({ name, form }: NamedOperand, dialect: Dialect): SqlFragment => dialect.ordered(name, form);

const extreme =
  (bound: "min" | "max"): Call =>
  (operand, only, dialect) =>
    bound === "min"
      ? sql`min(${sortable(operand, dialect)})${only}`
      : sql`max(${sortable(operand, dialect)})${only}`;

/** PostgreSQL has no least and greatest of these types. */
const postgresExtremes: Partial<Record<PrimitiveType, Readonly<Record<"min" | "max", Call>>>> = {
  "Edm.Boolean": {
    min: ({ name }, only) => sql`bool_and(${name})${only}`,
    max: ({ name }, only) => sql`bool_or(${name})${only}`,
  },
  "Edm.Guid": {
    min: ({ name }, only) => sql`(min(${name}::text collate "C")${only})::uuid`,
    max: ({ name }, only) => sql`(max(${name}::text collate "C")${only})::uuid`,
  },
};

/** Sum of decimals in PostgreSQL, exact. Null beyond the bounds of decimals. */
const numericSum: Call = (operand, only, dialect) =>
  sql`cadastre_bounded(sum(${numericOf(operand, dialect)})${only})`;

const numericOf = ({ name, form, scale }: NamedOperand, dialect: Dialect): SqlFragment =>
  sql`(${form === "numeric" ? name : dialect.toComputed(name, form, scale)})::numeric`;

/** Sum of doubles in PostgreSQL: that of their shortest decimals, rounded once. */
const doubleSum: Call = ({ name }, only) => sql`cadastre_double(sum(cadastre_number(${name}))${only})`;

type Arithmetic = Readonly<Record<"sum" | "average", Call>>;

const postgresArithmetic: Readonly<Record<"Edm.Decimal" | "Edm.Double", Arithmetic>> = {
  "Edm.Decimal": {
    sum: numericSum,
    average: (operand, only, dialect) =>
      sql`cadastre_quotient(${numericSum(operand, only, dialect)}, (count(${operand.name})${only})::numeric)`,
  },
  "Edm.Double": {
    sum: doubleSum,
    average: (operand, only, dialect) =>
      sql`cadastre_quotient(${doubleSum(operand, only, dialect)}, (count(${operand.name})${only})::float8)`,
  },
};

/** A function of `registerAggregates`. It reads numbers in every encoding, integers with their scale. */
const registered =
  (method: "sum" | "average", type: "Edm.Decimal" | "Edm.Double"): Call =>
  ({ name, scale }, only, dialect) =>
    sql`${dialect.call(method, [type], scale === null || scale === 0 ? [name] : [name, value(scale)])}${only}`;

const sqliteArithmetic: Readonly<Record<"Edm.Decimal" | "Edm.Double", Arithmetic>> = {
  "Edm.Decimal": { sum: registered("sum", "Edm.Decimal"), average: registered("average", "Edm.Decimal") },
  "Edm.Double": { sum: registered("sum", "Edm.Double"), average: registered("average", "Edm.Double") },
};

const arithmetic: Readonly<Record<DialectName, typeof sqliteArithmetic>> = {
  sqlite: sqliteArithmetic,
  postgres: postgresArithmetic,
};

/** Compiles an aggregate. @param operand null for `$count` */
export function compileAggregate(
  { method, property }: BoundAggregate,
  operand: NamedOperand | null,
  dialect: Dialect,
): CompiledAggregate {
  if (operand === null || method === "count")
    return { operand: undefined, result: (only) => sql`count(*)${only}`, form: "scaled" };
  const { sql: selected } = operand;
  switch (method) {
    case "countdistinct":
      return {
        operand: selected,
        result: (only) => sql`count(distinct ${sortable(operand, dialect)})${only}`,
        form: "scaled",
      };
    case "min":
    case "max": {
      const special = dialect.name === "postgres" ? postgresExtremes[property.type] : undefined;
      const call = special?.[method] ?? extreme(method);
      return { operand: selected, result: (only) => call(operand, only, dialect), form: operand.form };
    }
    case "sum":
    case "average": {
      const type = property.type === "Edm.Double" ? "Edm.Double" : "Edm.Decimal";
      const call = arithmetic[dialect.name][type][method];
      return {
        operand: operand.type === "Null" ? dialect.typedNull("Edm.Decimal") : selected,
        result: (only) => call(operand, only, dialect),
        form: dialect.computedEncodings[type],
      };
    }
  }
}
