import fc from "fast-check";
import { grants } from "./grants.ts";
import type { World } from "./projection.ts";
import { type Request, requests } from "./requests.ts";
import type { GrantsOfAll } from "./side.ts";
import { changes, type WorldChange, worlds } from "./worlds.ts";

/** Two stores that the customer `one` cannot tell apart, and requests of `one`. */
export type Case = {
  readonly grants: GrantsOfAll;
  readonly world: World;
  /** Source of the records and values in the second store that `one` may not see. */
  readonly donor: World;
  /** Number of additional commits of the second store. */
  readonly lead: number;
  /** Source of these from the second page on; null if they do not change. */
  readonly later: World | null;
  /** What changes, in both stores, before the changes after a walk are asked for. */
  readonly change: WorldChange;
  readonly requests: readonly Request[];
};

export const cases: fc.Arbitrary<Case> = fc.record({
  grants: fc.record({ one: grants, other: grants }),
  world: worlds,
  donor: worlds,
  lead: fc.constantFrom(0, 0, 1, 3),
  later: fc.option(worlds, { freq: 2, nil: null }),
  change: changes,
  requests: fc.array(requests, { minLength: 1, maxLength: 16, size: "max" }),
});
