/** An applied preference, and its text in `Preference-Applied`. */
type Preference<T> = { readonly value: T; readonly applied: string };

/** Supported preferences of a client. */
export type Preferences = {
  /** Maximum number of records of a page, at least 1. */
  readonly pageSize?: Preference<number> | undefined;
  /** Set if null members are left out. */
  readonly omitNulls?: Preference<true> | undefined;
};

const pattern = /^(?:odata\.)?(?<name>[\w-]+)\s*=\s*(?<quote>"?)(?<value>\w+)\k<quote>\s*(?:;.*)?$/;

type PreferenceParser = (value: string, name: string, maxPageSize: number) => Preferences | undefined;

/** Parsers of the supported preferences. They return undefined for an unsupported value. */
const understood: ReadonlyMap<string, PreferenceParser> = new Map<string, PreferenceParser>([
  ["maxpagesize", toPageSize],
  ["omit-values", toOmitNulls],
]);

function toPageSize(value: string, name: string, most: number): Preferences | undefined {
  const size = /^\d{1,15}$/.test(value) ? Math.min(Number(value), most) : 0;
  return size === 0 ? undefined : { pageSize: { value: size, applied: `${name}=${size}` } };
}

function toOmitNulls(value: string, name: string): Preferences | undefined {
  return value === "nulls" ? { omitNulls: { value: true, applied: `${name}=nulls` } } : undefined;
}

/**
 * Parses a `Prefer` header. Of two equal preferences the first one wins. Unsupported ones are ignored.
 * Source: OData Protocol 4.01, section 8.2.8; RFC 7240, section 2.
 *
 * @param maxPageSize the largest page that the service gives; a larger one is lowered to it
 */
export function preferencesOf(header: string | undefined, maxPageSize: number): Preferences {
  let preferences: Preferences = {};
  for (const text of header?.toLowerCase().split(",") ?? []) {
    const preference = text.trim();
    const { name = "", value = "" } = pattern.exec(preference)?.groups ?? {};
    const written = preference.startsWith("odata.") ? `odata.${name}` : name;
    preferences = { ...understood.get(name)?.(value, written, maxPageSize), ...preferences };
  }
  return preferences;
}

/**
 * Returns the header `Preference-Applied`. Empty if no preference was applied. Source: RFC 7240, section 3.
 *
 * @param others names of applied preferences without a value
 */
export function preferenceApplied(
  preferences: Preferences,
  ...others: readonly string[]
): Readonly<Record<string, string>> {
  const applied = [
    ...Object.values(preferences).flatMap((preference) => preference?.applied ?? []),
    ...others,
  ];
  return applied.length === 0 ? {} : { "preference-applied": applied.join(", ") };
}

const tracking = /^(?:odata\.)?track-changes(?=\s*(?:;|$))/;

/**
 * Returns the name under which a `Prefer` header has `track-changes`, with or without `odata.`. Undefined if it does not.
 * Source: OData Protocol 4.01, section 8.2.8.6.
 */
export const trackChangesOf = (header: string | undefined): string | undefined =>
  header
    ?.toLowerCase()
    .split(",")
    .map((preference) => tracking.exec(preference.trim())?.[0])
    .find((name) => name !== undefined);

const continuation = /(?:^|,)\s*(?:odata\.)?continue-on-error(?:\s*=\s*(?<value>\w+|"\w+"))?\s*(?:[,;]|$)/i;

/**
 * Returns the name under which a `Prefer` header has `continue-on-error`, with or without `odata.`. Undefined if it does not.
 * Source: OData Protocol 4.01, section 8.2.8.3.
 */
export function continueOnErrorOf(header: string | undefined): string | undefined {
  const found = continuation.exec(header ?? "");
  if (found === null || /false/i.test(found.groups?.["value"] ?? "")) return undefined;
  return found[0].includes("odata.") ? "odata.continue-on-error" : "continue-on-error";
}
