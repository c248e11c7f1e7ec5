import type { BoundNode, BoundQuery, StructuralProperty } from "@cadastre/odata";
import { allOf, equals, propertyNode, textConstant } from "@cadastre/odata/tree";
import { type Plans, valueTypeOf } from "../record/plan.ts";
import type { ChangeReadOptions } from "../store.ts";
import { anyKey, type ChangesStatements } from "./changes-request.ts";
import type { ReadableTable } from "./compile.ts";
import { changedConditions } from "./versions.ts";

/** @param few see `HistoricalState` */
export function compileChanges(
  query: BoundQuery,
  readable: ReadableTable,
  plans: Plans,
  { nulls = true, form, elsewhere, since, until }: ChangeReadOptions,
  few: boolean,
): ChangesStatements {
  const planned = plans.of(query.select, readable.members, nulls);
  const last = until?.checkpoint ?? Number.MAX_SAFE_INTEGER;
  const versions = (state: Parameters<typeof changedConditions>[0]): BoundQuery => ({
    ...query,
    top: query.top + 1,
    filter: allOf(...changedConditions(state), query.filter),
  });
  const wereThen = versions({
    checkpoint: since.checkpoint,
    changes: { kind: "ended", until: last, few },
  });
  const areNow = versions({
    checkpoint: last,
    changes: { kind: "began", since: since.checkpoint, few },
  });
  const { changed, compilers, accessTo, table } = readable;
  const [key] = table.key;
  const other: BoundQuery | undefined = elsewhere;
  const one = other && key && { ...other, filter: allOf(isKey(key), other.filter), top: 1 };
  return {
    ended: changed.page(wereThen, planned, "closed", few),
    began: changed.page(areNow, planned, until === undefined ? "current" : "both", few),
    top: query.top,
    computed: planned.computed.map(({ property }) => ({ name: property.name, type: valueTypeOf(property) })),
    plan: { id: planned.id, plan: planned.plan },
    form,
    elsewhere: one && compilers.plain.page(one, accessTo(one)),
    since,
    until,
  };
}

const isKey = (key: StructuralProperty): BoundNode => equals(propertyNode(key), textConstant(anyKey));
