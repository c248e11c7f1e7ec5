import type { BoundQuery } from "@cadastre/odata";
import type { Member } from "../record/members.ts";
import { Plans } from "../record/plans.ts";
import type { ReadOptions } from "../store.ts";
import { compilePageRequest, type ReadableTable } from "./compile.ts";
import type { Past } from "./past.ts";
import type { PageRequest } from "./request.ts";

/** The pages of a store as they are asked of its readers. Each has the plan of its selection, which is made once. */
export class PageRequests {
  readonly #plans = new Plans();

  of(
    query: BoundQuery,
    stored: ReadableTable & { readonly members: ReadonlyMap<string, Member> },
    { nulls = true, lines = false, form }: Pick<ReadOptions, "nulls" | "lines" | "form">,
    past: Past | undefined,
  ): PageRequest {
    const planned = this.#plans.of(query.select, stored.members, nulls);
    const request = compilePageRequest(query, stored, { planned, lines, past });
    return form === undefined ? request : { ...request, form };
  }
}
