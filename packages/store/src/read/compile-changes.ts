import type { BoundQuery } from "@cadastre/odata";
import { allOf } from "@cadastre/odata/tree";
import { type Plans, valueTypeOf } from "../record/plan.ts";
import type { ChangeReadOptions } from "../store.ts";
import type { ChangesStatements } from "./changes-request.ts";
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
  const { changed } = readable;
  const other: BoundQuery | undefined = elsewhere;
  return {
    ended: changed.ended(wereThen, planned, few),
    began: changed.page(areNow, planned, until === undefined ? "current" : "both", few),
    were: changed.were(wereThen, planned),
    top: query.top,
    computed: planned.computed.map(({ property }) => ({ name: property.name, type: valueTypeOf(property) })),
    plan: { id: planned.id, plan: planned.plan },
    form,
    elsewhere: other && changed.shown({ ...other, top: query.top }),
    since,
    until,
  };
}
