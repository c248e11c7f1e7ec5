import type { BoundNode, BoundQuery } from "../bound/tree.ts";
import { constant } from "../bound/tree.ts";
import type { CompileContext, Operand } from "../compile/compile-context.ts";
import { compileOperand } from "../compile/expression.ts";
import { fold } from "../compile/fold.ts";
import type { Column, Mapping, MemberMapping } from "../compile/mapping.ts";
import { encodingOf, toComputedOperand } from "../compile/operand.ts";
import { conditionsOf, targetOf } from "../compile/query.ts";
import { compileOrder, compileSort, keyOperand, keyProperties } from "../compile/select.ts";
import { valuesOf } from "../compile/value-source.ts";
import type { EntitySet, StructuralProperty, ValueType } from "../model/types.ts";
import type { Dialect } from "../sql/dialect.ts";
import type { EncodingName } from "../sql/encoding.ts";
import { identifier, join, type SqlFragment, sql, value } from "../sql/fragment.ts";
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

/** Rows during `$apply`: the mapping that reads them, and their set. */
type Rows = {
  readonly mapping: Mapping;
  readonly entitySet: EntitySet;
  readonly isEntities: boolean;
  /** Number of the columns of the mapping that hold places in groups. */
  readonly places: number;
};

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
  return afterSteps(steps, { mapping, entitySet, isEntities: true, places: 0 }, dialect).mapping;
}

const afterSteps = (steps: readonly ApplyStep[], rows: Rows, dialect: Dialect): Rows =>
  steps.reduce((current, step) => afterStep(step, current, dialect), rows);

function afterStep(step: ApplyStep, rows: Rows, dialect: Dialect): Rows {
  const { mapping } = rows;
  switch (step.kind) {
    case "Filter": {
      const conditions = conditionsOf({ filter: step.condition }, mapping, contextOf(rows, dialect));
      return { ...rows, mapping: { ...mapping, where: join(conditions, " and ") } };
    }
    case "Limit":
      return step.partition.length === 0
        ? { ...rows, mapping: limitedMapping(step, rows, dialect) }
        : { ...rows, mapping: rankedMapping(step, rows, dialect), places: rows.places + 1 };
    case "Group":
      return derivedRows(groupedMapping(step, rows, dialect), rows);
    case "Concat":
      return derivedRows(concatenatedMapping(step, rows, dialect), rows);
  }
}

const derivedRows = (mapping: Mapping, { entitySet }: Rows): Rows => ({
  mapping,
  entitySet: { ...entitySet, type: { ...entitySet.type, key: [], properties: new Map() } },
  isEntities: false,
  places: 0,
});

const queryOver = (entitySet: EntitySet, orderBy: BoundQuery["orderBy"] = []): BoundQuery => ({
  entitySet,
  filter: constant(true),
  orderBy,
  select: [],
  top: 0,
  skip: 0,
  after: null,
});

const contextOf = ({ mapping, entitySet }: Rows, dialect: Dialect): CompileContext =>
  targetOf(dialect, mapping, valuesOf(queryOver(entitySet)));

const whereOf = ({ where }: Mapping): SqlFragment => (where === undefined ? sql`` : sql` where ${where}`);

/** Compiles the items of an `order by`; undefined if there are none. */
function sortOf(orderBy: BoundQuery["orderBy"], { entitySet }: Rows, context: CompileContext) {
  const { items } = compileOrder(queryOver(entitySet, orderBy), [], context, null);
  return items.length === 0 ? undefined : compileSort(items, context);
}

/** SQLite skips rows only after a limit. */
const noLimit = Number.MAX_SAFE_INTEGER;

function limitedMapping(
  { orderBy, skip, top }: ApplyStep & { readonly kind: "Limit" },
  rows: Rows,
  dialect: Dialect,
): Mapping {
  const { mapping, entitySet, isEntities } = rows;
  const context = contextOf(rows, dialect);
  const sort = sortOf(orderBy, rows, context);
  const order = sort === undefined ? sql`` : sql` order by ${sort}`;
  const offset = skip === 0 ? sql`` : sql` offset ${value(skip)}`;
  const rest = sql`from ${mapping.from}${whereOf(mapping)}${order} ${dialect.limit(value(top ?? noLimit))}${offset}`;
  if (!isEntities) {
    const { where: _where, ...read } = mapping;
    return { ...read, from: sql`(select * ${rest}) as ${identifier("limited")}` };
  }
  // Entities are still read from their own table, so that paths lead from them to related ones.
  const keys = keyProperties(entitySet.type).map((property) => keyOperand(property, context).sql);
  return { ...mapping, where: isAmong(keys, sql`select ${join(keys, ", ")} ${rest}`) };
}

/** Returns the condition that the key of a row is among those of a `select`. */
const isAmong = (keys: readonly SqlFragment[], found: SqlFragment): SqlFragment =>
  keys.length === 1 ? sql`${join(keys, ", ")} in (${found})` : sql`(${join(keys, ", ")}) in (${found})`;

/** Limits the rows of each group, by their places in it. */
function rankedMapping(
  { partition, orderBy, skip, top }: ApplyStep & { readonly kind: "Limit" },
  rows: Rows,
  dialect: Dialect,
): Mapping {
  const { mapping, entitySet, isEntities, places } = rows;
  const context = contextOf(rows, dialect);
  const sort = sortOf(orderBy, rows, context);
  const order = sort === undefined ? sql`` : sql` order by ${sort}`;
  const groups = join(
    partition.map((node) => selectedValue(node, context).sql),
    ", ",
  );
  const place = identifier(`place${places}`);
  const number = sql`row_number() over (partition by ${groups}${order}) as ${place}`;
  const source = sql`from ${mapping.from}${whereOf(mapping)}`;
  const after = sql`${place} > ${value(skip)}`;
  const within = top === null ? after : sql`${after} and ${place} <= ${value(skip + top)}`;
  if (!isEntities) {
    const { where: _where, ...read } = mapping;
    const ranked = sql`(select *, ${number} ${source}) as ${identifier("ranked")}`;
    return { ...read, from: sql`(select * from ${ranked} where ${within}) as ${identifier("limited")}` };
  }
  const keys = keyProperties(entitySet.type).map((property) => keyOperand(property, context).sql);
  const names = join(
    keys.map((_, i) => innerKey(i)),
    ", ",
  );
  const named = join(
    keys.map((key, i) => sql`${key} as ${innerKey(i)}`),
    ", ",
  );
  const ranked = sql`(select ${named}, ${number} ${source}) as ${identifier("ranked")}`;
  const found = sql`select ${names} from ${ranked} where ${within}`;
  return { ...mapping, where: isAmong(keys, found) };
}

/**
 * Compiles an expression as a column of a derived table. A property keeps the encoding of its column, so that indexes serve; everything
 * else has the computed form of its type.
 */
function selectedValue(expression: BoundNode, context: CompileContext): Operand {
  const folded = fold(expression);
  const operand = compileOperand(folded, context);
  return isPlain(folded, operand) ? operand : toComputedOperand(operand, context);
}

const isPlain = ({ kind }: BoundNode, { isColumn }: Operand): boolean =>
  kind === "Property" && isColumn === true;

/** Returns the encoding of a derived column: text may have any collation. */
function encodingIn(
  { columnEncodings }: Dialect,
  { type, collection }: StructuralProperty,
  form: EncodingName,
) {
  return !collection && columnEncodings[type] === "text" ? "text" : form;
}

const innerKey = (i: number): SqlFragment => identifier(`key${i}`);
const innerOperand = (i: number): SqlFragment => identifier(`operand${i}`);
const outerColumn = (i: number): SqlFragment => identifier(`column${i}`);
const isCounted = identifier("counted");

function groupedMapping({ keys, aggregates, condition }: GroupStep, rows: Rows, dialect: Dialect): Mapping {
  const { mapping } = rows;
  const context = contextOf(rows, dialect);
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
  const outer = [...names, ...compiled.map(({ result }) => result(only))];
  const columns = join(
    outer.map((one, i) => sql`${one} as ${outerColumn(i)}`),
    ", ",
  );
  const groups = names.length === 0 ? sql`` : sql` group by ${join(names, ", ")}`;
  return derivedMapping(
    sql`(select ${columns} from ${source}${groups}) as ${identifier("groups")}`,
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
  rows: Rows,
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
  rows: Rows,
  dialect: Dialect,
): SqlFragment {
  const result = afterSteps(steps, rows, dialect);
  const context = contextOf(result, dialect);
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

/** Maps the columns of a derived table, by their paths. */
function derivedMapping(from: SqlFragment, columns: ReadonlyMap<string, Column>): Mapping {
  return { from, ...membersAt(columns, ""), ranges: false };
}

function membersAt(
  columns: ReadonlyMap<string, Column>,
  prefix: string,
): Pick<MemberMapping, "column" | "path"> & {
  readonly column: Mapping["column"];
} {
  return {
    column: ({ name }) => {
      const found = columns.get(prefix + name);
      if (found === undefined) throw new TypeError(`\`$apply\` has no column \`${prefix}${name}\``);
      return found;
    },
    path: (property) =>
      "type" in property
        ? undefined
        : { kind: "members", members: membersAt(columns, `${prefix}${property.name}/`), present: sql`1` },
  };
}
