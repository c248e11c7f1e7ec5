import { maxTop } from "../catalog.ts";

/** A preference that is honoured: what it asks for, and what `Preference-Applied` says of it. */
type Preference<T> = { readonly value: T; readonly applied: string };

/** What a client prefers, as far as it is understood here. */
export type Preferences = {
  /** Records of a page, from 1 to the longest page. */
  readonly pageSize?: Preference<number> | undefined;
  /** Whether members without a value are left out. */
  readonly omitNulls?: Preference<true> | undefined;
};

const pattern = /^(?:odata\.)?(?<name>[\w-]+)\s*=\s*(?<quote>"?)(?<value>\w+)\k<quote>\s*(?:;.*)?$/;

/** What each preference makes of its value; undefined where it means nothing here. */
const understood: ReadonlyMap<string, (value: string, name: string) => Preferences | undefined> = new Map([
  ["maxpagesize", toPageSize],
  ["omit-values", toOmitNulls],
]);

function toPageSize(value: string, name: string): Preferences | undefined {
  const size = /^\d{1,15}$/.test(value) ? Math.min(Number(value), maxTop) : 0;
  return size === 0 ? undefined : { pageSize: { value: size, applied: `${name}=${size}` } };
}

function toOmitNulls(value: string, name: string): Preferences | undefined {
  return value === "nulls" ? { omitNulls: { value: true, applied: `${name}=nulls` } } : undefined;
}

/**
 * The preferences of a `Prefer` header; of two for the same, the first counts. What is not understood is passed over.
 * Source: OData Protocol 4.01, section 8.2.8; RFC 7240, section 2.
 */
export function preferencesOf(header: string | undefined): Preferences {
  let preferences: Preferences = {};
  for (const text of header?.toLowerCase().split(",") ?? []) {
    const preference = text.trim();
    const { name = "", value = "" } = pattern.exec(preference)?.groups ?? {};
    const written = preference.startsWith("odata.") ? `odata.${name}` : name;
    preferences = { ...understood.get(name)?.(value, written), ...preferences };
  }
  return preferences;
}

/** The header that names what was honoured; none where nothing was. Source: RFC 7240, section 3. */
export function preferenceApplied(preferences: Preferences): Readonly<Record<string, string>> {
  const applied = Object.values(preferences).flatMap((preference) => preference?.applied ?? []);
  return applied.length === 0 ? {} : { "preference-applied": applied.join(", ") };
}

const continuation = /(?:^|,)\s*(?:odata\.)?continue-on-error(?:\s*=\s*(?<value>\w+|"\w+"))?\s*(?:[,;]|$)/i;

/**
 * The name by which a `Prefer` header asks for the answers after one that is an error; undefined where it does not.
 * Source: OData Protocol 4.01, section 8.2.8.3.
 */
export function continueOnErrorOf(header: string | undefined): string | undefined {
  const found = continuation.exec(header ?? "");
  if (found === null || /false/i.test(found.groups?.["value"] ?? "")) return undefined;
  return found[0].includes("odata.") ? "odata.continue-on-error" : "continue-on-error";
}
