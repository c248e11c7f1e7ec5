import { type Region, resourceRules } from "@cadastre/entitlement";
import type { EntitySet } from "@cadastre/odata";
import type { RegionValues } from "@cadastre/store";
import { z } from "zod";
import { faultCode } from "../endpoint/read-request.ts";

// Source of the types, the pattern and the default: interface specification, section 4.2.
export const geographyTypes = ["national", "state", "zip", "county"] as const;

/** A market, written as a region of an entitlement. */
export type Geography = Region & { readonly kind: (typeof geographyTypes)[number] };

const defaultGeography = "national:US";

const geographyForm = /^(?:national:US|state:[A-Z]{2}|zip:[0-9]{5}|county:[A-Z]{2}\/[^/]{1,200})$/u;

/** The parameter `geography`. */
export const geography = z
  .string()
  .regex(geographyForm, faultCode("invalid_geography"))
  .default(defaultGeography)
  .meta({ description: "The market" });

/** Returns the market of a text in the form of `geography`. */
export function toGeography(text: string): Geography {
  const [type, ...id] = text.split(":");
  const kind = geographyTypes.find((one) => one === type) ?? "national";
  return { kind, value: id.join(":") };
}

/** Returns the values of the region columns that the market's listings have, e.g. `{StateOrProvince: "TX", CountyOrParish: "Travis"}`. */
export function regionColumns({ kind, value }: Geography, { name }: EntitySet): RegionValues {
  const rule = resourceRules[name];
  if (rule?.by !== "region") throw new RangeError(`\`${name}\` is not restricted by region`);
  const { state, county, zip } = rule.regions;
  const [first = "", second = ""] = value.split("/");
  const places: Readonly<Record<Geography["kind"], RegionValues>> = {
    national: {},
    state: { [state]: value },
    zip: { [zip]: value },
    county: { [state]: first, [county]: second },
  };
  return places[kind];
}
