import type { SetChange } from "@cadastre/store";
import { z } from "zod";
import type { Gate, GateResult } from "./gate.ts";

/** Records that are there before, and how many of them would go. */
export type Loss = Pick<SetChange, "before" | "removed">;

/** True if more goes than may. A single record may always go: of a set of four it is a fourth. */
export const exceeds = ({ before, removed }: Loss, maxShrink: number): boolean =>
  removed > 1 && removed * 100 > before * maxShrink;

/** Says how much would go: `Property of lonestar: 7007 of 20000 records (35 %) would be removed, …`. */
export const lossText = (set: string, { before, removed }: Loss, maxShrink: number): string =>
  `${set}: ${removed} of ${before} records (${percentage({ before, removed })} %) would be removed, more than the ${maxShrink} % of CADASTRE_MAX_SHRINK`;

const percentage = ({ before, removed }: Loss): number => Math.round((removed / before) * 1000) / 10;

/** The name of a source's records in a set, in a message. */
export const setName = (resource: string, source: string | null): string =>
  `${resource} of ${source ?? "no source"}`;

export const shrink: Gate = {
  name: "shrink",
  holds:
    "no more of a set, or of a source's records in it, is removed than CADASTRE_MAX_SHRINK percent, unless --allow-shrink is given; what follows a removed record counts for its own set",
  check: async ({ candidate, policy: { maxShrink, allowShrink } }) => {
    const { resource, records } = candidate;
    const changes = await candidate.setChanges();
    const excessive = excessiveLosses(changes, maxShrink);
    const { before, removed } = wholeSets(changes).get(resource) ?? { before: 0, removed: 0 };
    return {
      passed: allowShrink || excessive.length === 0,
      evidence: { before, removed, after: records, limit: maxShrink, allowed: allowShrink, excessive },
    };
  },
};

/** Says of each set, and of each source's records in it, what is removed beyond the limit. */
export function excessiveLosses(changes: readonly SetChange[], maxShrink: number): readonly string[] {
  const sources = changes.map((change) => [setName(change.resource, change.source), change] as const);
  return [...sources, ...wholeSets(changes)]
    .filter(([, loss]) => exceeds(loss, maxShrink))
    .map(([name, loss]) => lossText(name, loss, maxShrink));
}

/** The sums over the sources of each set. */
function wholeSets(changes: readonly SetChange[]): ReadonlyMap<string, Loss> {
  const sums = new Map<string, Loss>();
  for (const { resource, before, removed } of changes) {
    const sum = sums.get(resource) ?? { before: 0, removed: 0 };
    sums.set(resource, { before: sum.before + before, removed: sum.removed + removed });
  }
  return sums;
}

const evidenceForm = z.object({ excessive: z.array(z.string()) });

/** The sentences of a gate's result that say how much would go; none for other gates and what is allowed. */
export function excessiveIn({ gate, passed, evidence }: GateResult): readonly string[] {
  const read = evidenceForm.safeParse(evidence);
  return gate === shrink.name && !passed && read.success ? read.data.excessive : [];
}
