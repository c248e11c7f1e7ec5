import { maxTop } from "../catalog.ts";

/** The page size that a client prefers. */
export type PagePreference = {
  /** Records, from 1 to the longest page. */
  readonly size: number;
  /** Value of the `Preference-Applied` header. */
  readonly applied: string;
};

const pattern = /^(?<name>(?:odata\.)?maxpagesize)\s*=\s*(?<quote>"?)(?<size>\d{1,15})\k<quote>\s*(?:;.*)?$/i;

/**
 * The `maxpagesize` of a `Prefer` header; the first one counts. A preference that is not understood is passed over.
 * Source: OData Protocol 4.01, section 8.2.8.6; RFC 7240, section 2.
 */
export function pagePreferenceOf(header: string | undefined): PagePreference | undefined {
  for (const preference of header?.split(",") ?? []) {
    const { name = "", size = "0" } = pattern.exec(preference.trim())?.groups ?? {};
    if (Number(size) === 0) continue;
    const applied = Math.min(Number(size), maxTop);
    return { size: applied, applied: `${name.toLowerCase()}=${applied}` };
  }
  return undefined;
}
