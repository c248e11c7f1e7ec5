import { z } from "zod";
import { canonicalText } from "./canonical.ts";
import { manifestShape } from "./manifest.ts";
import type { SealedManifest } from "./read.ts";

const { deliveryId, domain, kind, generation, sequence, createdAt } = manifestShape.shape;

const pointerShape = z.object({
  pointerVersion: z.literal(1),
  /** Folder of the delivery, relative to the folder of the pointer. */
  path: z.string().regex(/^[\w-]+(?:\/[\w-]+)*$/),
  deliveryId,
  manifestSha256: z.string().regex(/^[0-9a-f]{64}$/),
  domain,
  kind,
  generation,
  sequence,
  asOf: manifestShape.shape.window.shape.asOf,
  createdAt,
});

/** The newest complete delivery of a subscription or, of exports, of a domain. It is the one file that is replaced. */
export type LatestPointer = z.infer<typeof pointerShape>;

/** Returns the pointer to a delivery. @param path folder of the delivery, relative to that of the pointer */
export const latestPointer = (
  { manifest, sha256 }: Pick<SealedManifest, "manifest" | "sha256">,
  path: string,
): LatestPointer => ({
  pointerVersion: 1,
  path,
  deliveryId: manifest.deliveryId,
  manifestSha256: sha256,
  domain: manifest.domain,
  kind: manifest.kind,
  generation: manifest.generation,
  sequence: manifest.sequence,
  asOf: manifest.window.asOf,
  createdAt: manifest.createdAt,
});

/** Returns the text of a pointer's file. */
export const latestText = (pointer: LatestPointer): string => `${canonicalText(pointer)}\n`;

/** Parses the text of a pointer's file; undefined if it is none. */
export function readLatestPointer(text: string): LatestPointer | undefined {
  try {
    return pointerShape.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** True if a pointer must replace the one that is there: its delivery is a later one. */
export function isLater(next: LatestPointer, before: LatestPointer | undefined): boolean {
  if (before === undefined) return true;
  if (next.generation !== before.generation) return next.generation > before.generation;
  if (next.sequence !== before.sequence) return next.sequence > before.sequence;
  return next.createdAt > before.createdAt;
}
