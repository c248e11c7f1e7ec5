import { createHash } from "node:crypto";
import type { Resolution } from "../registry/identities.ts";
import { ulidBytes, ulidOf } from "../ulid.ts";

/** The ids of a physical property. */
export type Identity = {
  /** The current id: a Placekey, or `prov:<ULID>` if it has none. */
  readonly id: string;
  /** Earlier ids that were resolved to this one. */
  readonly resolved: readonly string[];
};

/** Returns the identity that an id belongs to. */
export type Identities = (id: string) => Identity;

const provisionalPattern = /^prov:[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/** A complete Placekey, `what@where`. A partially masked one does not match. */
export const placekeyPattern = /^[^@]*@[^@-]{3}-[^@-]{3}-[^@-]{3}$/;

/** True if a value has the form of a Placekey. */
export const isPlacekey = (value: unknown): value is string =>
  typeof value === "string" && placekeyPattern.test(value);

export const isProvisionalId = (text: string): boolean => provisionalPattern.test(text);

/**
 * Returns a provisional id derived from a text; the same text always gives the same id. The time in its ULID is 0, because the id
 * does not depend on a time.
 */
export function provisionalIdOf(text: string): string {
  const hash = createHash("sha256").update(text).digest();
  return `prov:${ulidOf(0, hash.subarray(0, ulidBytes))}`;
}

/** Creates the lookup of identities. An id that was not resolved is its own identity. */
export function identitiesOf(resolutions: readonly Resolution[]): Identities {
  const placekeys = new Map(resolutions.map(({ id, placekey }) => [id, placekey]));
  const endOf = (id: string): string => {
    const next = placekeys.get(id);
    return next === undefined ? id : endOf(next);
  };
  const resolved = new Map<string, string[]>();
  for (const { id } of resolutions) {
    const end = endOf(id);
    resolved.set(end, [...(resolved.get(end) ?? []), id]);
  }
  return (id) => {
    const end = endOf(id);
    return { id: end, resolved: resolved.get(end) ?? [] };
  };
}
