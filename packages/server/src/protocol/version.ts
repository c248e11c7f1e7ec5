/** Version of the OData protocol. */
export type OdataVersion = "4.0" | "4.01";

/** Returns the value of a request header, by its lower-case name. */
export type HeaderReader = (name: string) => string | undefined;

const versions: readonly OdataVersion[] = ["4.0", "4.01"];

/** Returns the version in a header. Old clients append the name of their library: `4.0;NetFx`. */
const versionIn = (header: string | undefined): string | undefined => header?.split(";", 1)[0]?.trim();

/** Returns the highest supported version that is not above `maximum`. Undefined if there is none. */
const highestUpTo = (maximum: string): OdataVersion | undefined =>
  /^\d+(?:\.\d+)?$/.test(maximum)
    ? versions.findLast((version) => Number(version) <= Number(maximum))
    : undefined;

/**
 * Returns the version of the answer, or null if the request asks for an unsupported one.
 * Source: OData Protocol 4.01, sections 8.2.6 and 8.2.7.
 */
export function negotiatedVersion(header: HeaderReader, configured: OdataVersion): OdataVersion | null {
  const own = versionIn(header("odata-version"));
  const maximum = versionIn(header("odata-maxversion"));
  const spoken = versions.find((version) => version === own);
  if (own !== undefined && spoken === undefined) return null;
  return maximum === undefined ? (spoken ?? configured) : (highestUpTo(maximum) ?? null);
}
