import { setTimeout } from "node:timers/promises";
import { type Random, randomFrom } from "../../bench/random.ts";
import type { Cluster } from "./cluster.ts";

/** Makes one thing fail, and ends when it works again or something has taken its place. */
type Fault = (cluster: Cluster, random: Random) => Promise<void>;

/** Faults by name. */
export const faults = {
  "a node is killed": ({ nodes }, random) => random.pick(nodes).killAndRestart(random.whole(0, 2000)),
  "a node is restarted": ({ nodes }, random) => random.pick(nodes).restart(),
  "a worker is killed": ({ workers }, random) => random.pick(workers).killAndRestart(random.whole(0, 2000)),
  "a node is cut off": async ({ nodes }, random) => random.pick(nodes).cutOff?.(random.whole(500, 8000)),
  "replay is paused": ({ databases }, random) =>
    databases.pauseReplay(random.whole(0, 1), random.whole(1000, 10_000)),
  "a standby is cut off": ({ databases }, random) =>
    databases.cutStandby(random.whole(0, 1), random.whole(500, 5000)),
  "the primary is killed": ({ databases }) => databases.failOver(),
} as const satisfies Record<string, Fault>;

/**
 * Makes the faults one after another, each as often as the others, in a random order, until the signal.
 *
 * @param pause longest pause between two of them, in milliseconds
 * @returns how often each was made
 */
export async function makeFaults(
  cluster: Cluster,
  seed: number,
  pause: number,
  stop: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const random = randomFrom(seed);
  const made = new Map<string, number>();
  const left: string[] = [];
  while (!stop.aborted) {
    if (left.length === 0) left.push(...Object.keys(faults));
    const [name = ""] = left.splice(random.whole(0, left.length - 1), 1);
    await faults[name as keyof typeof faults](cluster, random);
    made.set(name, (made.get(name) ?? 0) + 1);
    await setTimeout(random.whole(0, pause));
  }
  return made;
}
