import type { BoundQuery } from "@cadastre/odata";
import { Plans } from "../record/plan.ts";
import type { ChangeReadOptions, ReadOptions } from "../store.ts";
import type { ChangesStatements } from "./changes-request.ts";
import { compilePageRequest, type ReadableTable } from "./compile.ts";
import { compileChanges } from "./compile-changes.ts";
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
  changes(
    query: BoundQuery,
    stored: ReadableTable,
    read: ChangeReadOptions,
    few: boolean,
  ): ChangesStatements {
    return compileChanges(query, stored, this.#plans, read, few);
  }
}
