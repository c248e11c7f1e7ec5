import type { BoundNode } from "../bound/tree.ts";
import { compileOperand } from "../compile/expression.ts";
import { fold } from "../compile/fold.ts";
import type { Column, Mapping } from "../compile/mapping.ts";
import { encodingOf, toComputedOperand } from "../compile/operand.ts";
import { conditionsOf } from "../compile/query.ts";
import type { StructuralProperty, ValueType } from "../model/types.ts";
import type { Dialect } from "../sql/dialect.ts";
import type { EncodingName } from "../sql/encoding.ts";
import { identifier, join, type SqlFragment, sql, value } from "../sql/fragment.ts";
import {
  type AppliedRows,
  compileContextOf,
  innerKey,
  queryOver,
  selectedValue,
  sortOf,
  whereOf,
} from "./applied-rows.ts";
import {
  type ApplyStep,
  type BoundApply,
  branchProperty,
  type ConcatBranch,
  columnPath,
  type GroupStep,
  placeProperty,
  structureProperty,
} from "./bound-apply.ts";
import { compileAggregate } from "./compile-aggregate.ts";
import { compileCellSizes, compileLargeCells } from "./compile-cells.ts";
import { derivedMapping } from "./derived-mapping.ts";
import { limitedMapping } from "./limited-mapping.ts";

/**
 * Returns the mapping of the rows that `$apply` results in. Compile a query over them as one over any other mapping: it is one statement.
 * Conditions of `mapping`, and of the mappings that its paths lead to, hold for the rows that are aggregated.
 *
 * @throws {QueryError} `not_supported` for a path that is not mapped
 */
export function appliedMapping(
  { entitySet, steps }: Pick<BoundApply, "entitySet" | "steps">,
  mapping: Mapping,
  dialect: Dialect,
): Mapping {
  return afterSteps(steps, { mapping, first: mapping, entitySet, isEntities: true, places: 0 }, dialect)
    .mapping;
}

const afterSteps = (steps: readonly ApplyStep[], rows: AppliedRows, dialect: Dialect): AppliedRows =>
  steps.reduce((current, step) => afterStep(step, current, dialect), rows);

function afterStep(step: ApplyStep, rows: AppliedRows, dialect: Dialect): AppliedRows {
  const { mapping } = rows;
  switch (step.kind) {
    case "Filter": {
      const conditions = conditionsOf({ filter: step.condition }, mapping, compileContextOf(rows, dialect));
      return { ...rows, mapping: { ...mapping, where: join(conditions, " and ") } };
    }
    case "Limit":
      return {
        ...rows,
        mapping: limitedMapping(step, rows, dialect),
        places: rows.places + (step.partition.length === 0 ? 0 : 1),
      };
    case "Group":
      return derivedRows(groupedMapping(step, rows, dialect), rows);
    case "Concat":
      return derivedRows(concatenatedMapping(step, rows, dialect), rows);
  }
}

const derivedRows = (mapping: Mapping, { entitySet, first }: AppliedRows): AppliedRows => ({
  mapping,
  first,
  entitySet: { ...entitySet, type: { ...entitySet.type, key: [], properties: new Map() } },
  isEntities: false,
  places: 0,
});

/** Returns the encoding of a derived column: text may have any collation. */
function encodingIn(
  { columnEncodings }: Dialect,
  { type, collection }: StructuralProperty,
  form: EncodingName,
) {
  return !collection && columnEncodings[type] === "text" ? "text" : form;
}

const innerOperand = (i: number): SqlFragment => identifier(`operand${i}`);
const outerColumn = (i: number): SqlFragment => identifier(`column${i}`);
const isCounted = identifier("counted");

function groupedMapping(step: GroupStep, rows: AppliedRows, dialect: Dialect): Mapping {
  const { keys, aggregates, condition, cells } = step;
  const { mapping } = rows;
  const context = compileContextOf(rows, dialect);
  const keyValues = keys.map(({ expression }) => selectedValue(expression, context));
  const compiled = aggregates.map((aggregate, i) =>
    compileAggregate(
      aggregate,
      // It is read by a name outside.
      aggregate.operand && { ...selectedValue(aggregate.operand, context), name: innerOperand(i) },
      dialect,
    ),
  );
  const counted = condition && context.predicate(fold(condition), context, "truth");
  const inner = [
    ...keyValues.map((key, i) => sql`${key.sql} as ${innerKey(i)}`),
    ...compiled.flatMap(({ operand }, i) =>
      operand === undefined ? [] : [sql`${operand} as ${innerOperand(i)}`],
    ),
    ...(counted === null
      ? []
      : [sql`coalesce(${counted}, ${dialect.booleanLiteral(false)}) as ${isCounted}`]),
  ];
  const selected = inner.length === 0 ? sql`1 as ${isCounted}` : join(inner, ", ");
  const source = sql`(select ${selected} from ${mapping.from}${whereOf(mapping)}) as ${identifier("rows")}`;
  const names = keys.map((_, i) => innerKey(i));
  const only = counted === null ? sql`` : sql` filter (where ${isCounted})`;
  const results = compiled.map(({ result, operand }, i) =>
    cells === undefined || operand === undefined
      ? result(only)
      : sql`case when count(${innerOperand(i)})${only} >= ${value(cells.least)} then ${result(only)} end`,
  );
  const sizes = cells && compileCellSizes(only);
  const outer = [...names, ...results, ...(sizes === undefined ? [] : [sizes.members, sizes.others])];
  const columns = join(
    outer.map((one, i) => sql`${one} as ${outerColumn(i)}`),
    ", ",
  );
  const groups = names.length === 0 ? sql`` : sql` group by ${join(names, ", ")}`;
  const grouped = sql`(select ${columns} from ${source}${groups}) as ${identifier("groups")}`;
  const last = names.length + results.length;
  const sizeColumns = { members: outerColumn(last), others: outerColumn(last + 1) };
  const entities = { query: queryOver(rows.entitySet), mapping: rows.first };
  return derivedMapping(
    cells === undefined ? grouped : compileLargeCells(grouped, sizeColumns, cells, entities, dialect),
    new Map([
      ...keys.map(
        (key, i) =>
          [
            columnPath(key),
            {
              sql: outerColumn(i),
              encoding: encodingIn(dialect, key.property, keyValues[i]?.form ?? "plain"),
            },
          ] as const,
      ),
      ...compiled.map(({ form }, i) => {
        const { property } = aggregates[i] as (typeof aggregates)[number];
        const encoding = encodingIn(dialect, property, form);
        return [property.name, { sql: outerColumn(keys.length + i), encoding }] as const;
      }),
    ]),
  );
}

function concatenatedMapping(
  { columns, branches }: ApplyStep & { readonly kind: "Concat" },
  rows: AppliedRows,
  dialect: Dialect,
): Mapping {
  const arms = branches.map((branch, i) => selectBranch(branch, i, columns, rows, dialect));
  const named = columns.map((column, i) => {
    const { type, collection } = column.property;
    const form = collection ? "plain" : encodingOf(type, dialect.computedEncodings);
    return [
      columnPath(column),
      { sql: outerColumn(i), encoding: encodingIn(dialect, column.property, form) },
    ] as const;
  });
  const hidden = [branchProperty, placeProperty, structureProperty].map(
    ({ name }) => [name, { sql: identifier(name), encoding: "scaled" }] as const,
  );
  return derivedMapping(
    sql`(${join(arms, " union all ")}) as ${identifier("concatenated")}`,
    new Map<string, Column>([...named, ...hidden]),
  );
}

/** Compiles the rows of a branch. All values have the computed form of their type, which is the same in all branches. */
function selectBranch(
  { steps, orderBy, columns, structure }: ConcatBranch,
  number: number,
  all: readonly { readonly property: StructuralProperty }[],
  rows: AppliedRows,
  dialect: Dialect,
): SqlFragment {
  const result = afterSteps(steps, rows, dialect);
  const context = compileContextOf(result, dialect);
  const computed = (node: BoundNode): SqlFragment =>
    toComputedOperand(compileOperand(fold(node), context), context).sql;
  const sort = sortOf(orderBy, result, context);
  const selected = [
    ...all.map(({ property: { type, collection } }, i) => {
      const node = columns[i] ?? null;
      const missing = dialect.typedNull((collection ? `Collection(${type})` : type) as ValueType);
      return sql`${node === null || node.type === "Null" ? missing : computed(node)} as ${outerColumn(i)}`;
    }),
    sql`${dialect.operand(BigInt(number), "Edm.Int64", "scaled")} as ${identifier(branchProperty.name)}`,
    sql`row_number() over (${sort === undefined ? sql`` : sql`order by ${sort}`}) as ${identifier(placeProperty.name)}`,
    sql`${computed(structure)} as ${identifier(structureProperty.name)}`,
  ];
  return sql`select ${join(selected, ", ")} from ${result.mapping.from}${whereOf(result.mapping)}`;
}
