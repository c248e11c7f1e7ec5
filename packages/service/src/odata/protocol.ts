import type { Config } from "../config.ts";
import { Refused } from "../errors.ts";
import type { Step } from "../http/steps.ts";

/** Where the OData service lies. Source: interface specification, section 9. */
export const odataRoot = "/reso/odata";

/** Of errors, whatever the request accepts. */
export const jsonType = "application/json;odata.metadata=minimal";

export type OdataVersion = Config["odataVersion"];

/** Gives the value of a header of the request, by its name in lower case. */
export type HeaderReader = (name: string) => string | undefined;

/** Whether an address, as it came in, belongs to the OData service. */
export function isOdata(url: string): boolean {
  const end = url[odataRoot.length];
  return url.startsWith(odataRoot) && (end === undefined || end === "/" || end === "?");
}

/** What the request asks for: a version that is spoken here, none in particular, or one that is not. */
function askedVersion(header: string | undefined): OdataVersion | undefined | null {
  // Old clients append the name of their library: `4.0;NetFx`.
  const version = header?.split(";", 1)[0]?.trim();
  if (version === undefined) return undefined;
  return version === "4.0" || version === "4.01" ? version : null;
}

/** The version of the answer, or null where the request asks for one that is not spoken. */
export function negotiatedVersion(header: HeaderReader, configured: OdataVersion): OdataVersion | null {
  const maximum = askedVersion(header("odata-maxversion"));
  const own = askedVersion(header("odata-version"));
  return maximum === null || own === null ? null : (maximum ?? own ?? configured);
}

/**
 * Says `OData-Version` on every answer under the OData root, errors too.
 * Source: OData Protocol 4.01, sections 8.1.5 and 8.2.7.
 */
export const announceVersion =
  (configured: OdataVersion): Step =>
  (req, res) => {
    if (!isOdata(req.originalUrl)) return;
    res.setHeader("OData-Version", negotiatedVersion((name) => req.get(name), configured) ?? configured);
  };

/** Refuses a version that is not spoken. */
export const requireVersion =
  (configured: OdataVersion): Step =>
  (req) => {
    if (negotiatedVersion((name) => req.get(name), configured) === null)
      throw new Refused("unsupported_version");
  };
