import type { RestrictedQuery } from "@cadastre/entitlement";
import type { BoundQuery } from "@cadastre/odata";
import { Plans } from "../record/plan.ts";
import type { ChangesRead, ReadOptions } from "../store.ts";
import { type ChangesRequest, compileChanges } from "./changes.ts";
import { compilePageRequest, type ReadableTable } from "./compile.ts";
import type { PageRequest } from "./request.ts";
import type { HistoricalState } from "./versions.ts";

/** Compiles the page requests for a store's readers, with a cached record plan for each selection. */
export class PageRequests {
  readonly #plans = new Plans();

  of(
    query: BoundQuery,
    stored: ReadableTable,
    {
      nulls = true,
      lines = false,
      keys = false,
      form,
    }: Pick<ReadOptions, "nulls" | "lines" | "keys" | "form">,
    past: HistoricalState | undefined,
  ): PageRequest {
    const planned = this.#plans.of(query.select, stored.members, nulls);
    const request = compilePageRequest(query, stored, { planned, lines, keys, past });
    return form === undefined ? request : { ...request, form };
  }

  /** @param few see `HistoricalState` */
  changes(query: RestrictedQuery, stored: ReadableTable, read: ChangesRead, few: boolean): ChangesRequest {
    return compileChanges(query, stored, this.#plans, read, few);
  }
}
