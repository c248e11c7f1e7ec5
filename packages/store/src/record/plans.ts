import type { Projection } from "@cadastre/odata";
import type { Member } from "./members.ts";
import { type ComputedMember, type PlanRef, planRecord } from "./plan.ts";

export type Planned = PlanRef & { readonly computed: readonly ComputedMember[] };

/** Caches record plans by the identity of the selection array. */
export class Plans {
  readonly #known = new WeakMap<readonly Projection[], Map<string, Planned>>();
  #last = 0;

  of(select: readonly Projection[], members: ReadonlyMap<string, Member>, nulls: boolean): Planned {
    const ofSelect = this.#known.get(select) ?? new Map<string, Planned>();
    this.#known.set(select, ofSelect);
    const key = String(nulls);
    const known = ofSelect.get(key);
    if (known !== undefined) return known;
    const planned = { id: ++this.#last, ...planRecord(select, members, nulls) };
    ofSelect.set(key, planned);
    return planned;
  }
}
