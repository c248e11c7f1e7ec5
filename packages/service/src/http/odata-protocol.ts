import { negotiatedVersion, type OdataVersion } from "@cadastre/server/parts";
import { Refused } from "../errors.ts";
import type { Step } from "./routes.ts";

/** Root path of the OData service. Source: interface specification, section 9. */
export const odataRoot = "/reso/odata";

/** True if the URL path, as received, is at or under the OData root. */
export function isOdata(url: string): boolean {
  const end = url[odataRoot.length];
  return url.startsWith(odataRoot) && (end === undefined || end === "/" || end === "?");
}

/**
 * Sets `OData-Version` on every answer under the OData root, including errors.
 * Source: OData Protocol 4.01, sections 8.1.5 and 8.2.7.
 */
export const announceVersion =
  (configured: OdataVersion): Step =>
  (req, res) => {
    if (!isOdata(req.originalUrl)) return;
    res.setHeader("OData-Version", negotiatedVersion((name) => req.get(name), configured) ?? configured);
  };

/** Refuses an unsupported version. */
export const requireVersion =
  (configured: OdataVersion): Step =>
  (req) => {
    if (negotiatedVersion((name) => req.get(name), configured) === null)
      throw new Refused("unsupported_version");
  };
