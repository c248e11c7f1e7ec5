import type { BoundQuery, Projection } from "../bound/tree.ts";
import type { DialectName } from "../sql/dialect.ts";
import type { EncodingName } from "../sql/encoding.ts";
import { identifier, type SqlFragment, sql } from "../sql/fragment.ts";
import type { CompileContext } from "./compile-context.ts";
import { compileOperand } from "./expression.ts";
import { fold } from "./fold.ts";
import { toComputedOperand } from "./operand.ts";
import { presenceOf } from "./row-context.ts";

/** Name of a column selected for JSON. No property's name begins with `$`, so an order by a property never means such a column. */
export const jsonColumnName = (i: number): string => `$${i}`;

/** Encodings that every driver returns without a loss. */
const lossless: Readonly<Record<DialectName, ReadonlySet<EncodingName>>> = {
  sqlite: new Set<EncodingName>([
    "plain",
    "bit",
    "double",
    "dateText",
    "timestampText",
    "instantText",
    "timeText",
    "text",
    "jsonText",
  ]),
  postgres: new Set<EncodingName>(["plain", "text", "double"]),
};

/** Encodings that drivers may convert with a loss, and whose text in the database is that of the value. */
const textual: ReadonlySet<EncodingName> = new Set(["numeric", "jsonText"]);

/** Compiles the projected properties, each in a form that `columnText` reads, exact whatever the driver does with numbers and dates. */
export const compileJsonSelect = ({ select }: BoundQuery, target: CompileContext): readonly SqlFragment[] =>
  select.map(
    (projection, i) => sql`${compileJsonValue(projection, target)} as ${identifier(jsonColumnName(i))}`,
  );

function compileJsonValue(
  { property: { type, collection }, expression }: Projection,
  target: CompileContext,
): SqlFragment {
  const { dialect } = target;
  if (expression.kind === "Structure") return sql`(${presenceOf(expression, target) ?? sql`1`} is not null)`;
  const operand = compileOperand(fold(expression), target);
  const asText = sql`cast(${operand.sql} as text)`;
  if (collection) return dialect.name === "postgres" ? asText : operand.sql;
  if (lossless[dialect.name].has(operand.form)) return operand.sql;
  if (textual.has(operand.form) || (operand.form === "scaled" && !operand.scale)) return asText;
  return dialect.cast(type, "Edm.String", toComputedOperand(operand, target).sql);
}
