import type { RequestHandler } from "express";
import type { Config } from "../config.ts";
import { Refused } from "../errors.ts";

/** Where the OData service lies. Source: interface specification, section 9. */
export const odataRoot = "/reso/odata";

export const jsonType = "application/json;odata.metadata=minimal";

export type OdataVersion = Config["odataVersion"];

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
function negotiateVersion(
  headers: { readonly maximum: string | undefined; readonly own: string | undefined },
  configured: OdataVersion,
): OdataVersion | null {
  const maximum = askedVersion(headers.maximum);
  const own = askedVersion(headers.own);
  if (maximum === null || own === null) return null;
  return maximum ?? own ?? configured;
}

/**
 * Says `OData-Version` on every answer under the OData root, errors too, and refuses a version that is not
 * spoken. Source: OData Protocol 4.01, sections 8.1.5 and 8.2.7.
 */
export const odataVersion = (
  configured: OdataVersion,
): { announce: RequestHandler; require: RequestHandler } => {
  const negotiated = (req: Parameters<RequestHandler>[0]) =>
    negotiateVersion({ maximum: req.get("odata-maxversion"), own: req.get("odata-version") }, configured);
  return {
    announce: (req, res, next) => {
      if (isOdata(req.originalUrl)) res.setHeader("OData-Version", negotiated(req) ?? configured);
      next();
    },
    require: (req, _res, next) => {
      next(negotiated(req) === null ? new Refused("unsupported_version") : undefined);
    },
  };
};
