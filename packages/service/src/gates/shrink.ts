import type { SetChange } from "@cadastre/store";
import { z } from "zod";
import { describeSet, exceeds, type Loss, lossText } from "../ingest/set-loss.ts";
import type { Gate, GateResult } from "./gate.ts";

export const shrink: Gate = {
  name: "shrink",
  holds:
    "at most CADASTRE_MAX_SHRINK percent of a set, and of a source's records in it, are removed, unless --allow-shrink is given; records that follow a removed record count in their own set",
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

/** Returns a message for each set, and each source's records in a set, of which more than the limit would be removed. */
export function excessiveLosses(changes: readonly SetChange[], maxShrink: number): readonly string[] {
  const sources = changes.map((change) => [describeSet(change.resource, change.source), change] as const);
  return [...sources, ...wholeSets(changes)]
    .filter(([, loss]) => exceeds(loss, maxShrink))
    .map(([name, loss]) => lossText(name, loss, maxShrink));
}

/** Returns the sums over the sources of each set. */
function wholeSets(changes: readonly SetChange[]): ReadonlyMap<string, Loss> {
  const sums = new Map<string, Loss>();
  for (const { resource, before, removed } of changes) {
    const sum = sums.get(resource) ?? { before: 0, removed: 0 };
    sums.set(resource, { before: sum.before + before, removed: sum.removed + removed });
  }
  return sums;
}

const evidenceForm = z.object({ excessive: z.array(z.string()) });

/** Returns the messages about excessive removals in a gate's result. Empty for other gates. */
export function excessiveIn({ gate, passed, evidence }: GateResult): readonly string[] {
  const read = evidenceForm.safeParse(evidence);
  return gate === shrink.name && !passed && read.success ? read.data.excessive : [];
}
