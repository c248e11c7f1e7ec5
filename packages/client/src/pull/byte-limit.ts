import type { ManifestPart } from "@cadastre/manifest";
import { ClientError } from "../errors.ts";

/** Counts the bytes that one run fetches, repeated transfers included, against a limit. */
export type ByteLimit = {
  /** @throws {ClientError} `max_bytes_exceeded` if these parts together exceed the limit */
  readonly requireRoomFor: (parts: readonly ManifestPart[]) => void;
  /** Counts bytes as they come. @throws {ClientError} `max_bytes_exceeded` at the first byte beyond the limit */
  readonly take: (bytes: number) => void;
};

export function byteLimit(limit = Number.POSITIVE_INFINITY): ByteLimit {
  let taken = 0;
  const requireAtMost = (bytes: number) => {
    if (bytes > limit)
      throw new ClientError("max_bytes_exceeded", { bytes: String(bytes), limit: String(limit) });
  };
  return {
    requireRoomFor: (parts) => requireAtMost(parts.reduce((total, { byteLength }) => total + byteLength, 0)),
    take: (bytes) => {
      taken += bytes;
      requireAtMost(taken);
    },
  };
}
