import fc from "fast-check";
import { grants } from "./grants.ts";
import type { World } from "./projection.ts";
import { type Request, requests } from "./requests.ts";
import type { GrantsOfAll } from "./side.ts";
import { worlds } from "./worlds.ts";

/** Two stores that look alike to `one`, and what he and another customer ask of them. */
export type Case = {
  readonly grants: GrantsOfAll;
  readonly world: World;
  /** What the second store holds of what `one` may not see. */
  readonly donor: World;
  /** How many commits the second store has more. */
  readonly lead: number;
  /** What the second store holds of it from the second page on; null: the same. */
  readonly later: World | null;
  readonly requests: readonly Request[];
};

export const cases: fc.Arbitrary<Case> = fc.record({
  grants: fc.record({ one: grants, other: grants }),
  world: worlds,
  donor: worlds,
  lead: fc.constantFrom(0, 0, 1, 3),
  later: fc.option(worlds, { freq: 2, nil: null }),
  requests: fc.array(requests, { minLength: 1, maxLength: 16, size: "max" }),
});
