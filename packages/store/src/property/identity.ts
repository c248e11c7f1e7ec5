import { createHash } from "node:crypto";
import type { Resolution } from "../registry/identities/identity.ts";
import { ulidBytes, ulidOf } from "../ulid.ts";

/** What a physical property goes by. */
export type Identity = {
  /** A Placekey; `prov:<ULID>` while it has none. */
  readonly id: string;
  /** Ids that were resolved to it. */
  readonly resolved: readonly string[];
};

/** Gives the property that an id stands for. */
export type Identities = (id: string) => Identity;

const provisionalPattern = /^prov:[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/** `what@where`, whole; what a mask leaves of one is none. */
export const placekeyPattern = /^[^@]*@[^@-]{3}-[^@-]{3}-[^@-]{3}$/;

/** Whether a value is written as a Placekey is. */
export const isPlacekey = (value: unknown): value is string =>
  typeof value === "string" && placekeyPattern.test(value);

export const isProvisionalId = (text: string): boolean => provisionalPattern.test(text);

/**
 * The provisional id of what the text says: the same for the same text. It comes from what the property is and not from a
 * moment, so the time of its ULID is 0.
 */
export function provisionalIdOf(text: string): string {
  const hash = createHash("sha256").update(text).digest();
  return `prov:${ulidOf(0, hash.subarray(0, ulidBytes))}`;
}

/** The properties that ids stand for by what was resolved; every other id stands for one of its own. */
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
