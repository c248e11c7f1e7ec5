import type { Manifest } from "@cadastre/manifest";
import { type DeliveryOptions, makeDelivery, type TestDelivery } from "./deliveries.ts";

export const subscription = "0198f3a0-1111-7222-8333-444455556666";

const idOf = (generation: number, sequence: number): string =>
  `0198f3a2-0000-7000-8000-${String(generation).padStart(4, "0")}${String(sequence).padStart(8, "0")}`;

const positionOf = ({ manifest, sha256 }: TestDelivery): Manifest["previous"] => ({
  generation: manifest.generation,
  sequence: manifest.sequence,
  manifestSha256: sha256,
});

/** Makes the seed of the generation after a delivery, or of the first generation. */
export function seedAfter(before: TestDelivery | undefined, options: DeliveryOptions): Promise<TestDelivery> {
  const generation = (before?.manifest.generation ?? 0) + 1;
  return makeDelivery({
    id: idOf(generation, 0),
    ...options,
    edit: (manifest) => {
      const previous = before === undefined ? null : positionOf(before);
      const window = { ...manifest.window, toCheckpoint: `c${generation}.0` };
      const seed = { ...manifest, kind: "seed", subscriptionId: subscription, generation, previous } as const;
      return options.edit?.({ ...seed, window }) ?? { ...seed, window };
    },
  });
}

/** Makes the delta that follows a delivery. */
export function deltaAfter(before: TestDelivery, options: DeliveryOptions): Promise<TestDelivery> {
  const { generation, sequence } = before.manifest;
  return makeDelivery({
    id: idOf(generation, sequence + 1),
    ...options,
    edit: (manifest) => {
      const delta: Manifest = {
        ...manifest,
        kind: "delta",
        subscriptionId: subscription,
        generation,
        sequence: sequence + 1,
        previous: positionOf(before),
        noChange: manifest.parts.length === 0,
        window: {
          ...manifest.window,
          fromCheckpoint: before.manifest.window.toCheckpoint,
          toCheckpoint: `c${generation}.${sequence + 1}`,
        },
      };
      return options.edit?.(delta) ?? delta;
    },
  });
}
