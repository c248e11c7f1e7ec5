import { z } from "zod";
import type { PublicCode } from "../errors.ts";
import { faultCode } from "./read-request.ts";

// Schemas of members that several endpoints have.

export const string = z.string();
export const whole = z.int().min(0);
export const timestamp = z.string().meta({ format: "date-time" });
export const uuid = z.string().meta({ format: "uuid" });
export const uri = z.string().meta({ format: "uri" });
export const sha256Text = z.string().meta({ pattern: "^[0-9a-f]{64}$" });

/** A text that is one of `values`. Its type stays `string`, for values that come from a registry. */
export const oneOf = (values: readonly string[]) => z.string().meta({ enum: [...values] });

/** Longest key or id in a path, in characters. Source: interface specification, section 8. */
const maxKeyLength = 256;

/** A percent-encoded key in a path. @param code error code for a key that is empty, too long, not UTF-8, or has a control character */
export const pathKey = (code: PublicCode, description: string, example: string) =>
  z
    .string()
    .transform((encoded, context) => {
      try {
        return decodeURIComponent(encoded);
      } catch {
        context.addIssue({ code: "custom", message: faultCode(code) });
        return z.NEVER;
      }
    })
    .pipe(
      z
        .string()
        .refine((key) => key !== "" && Array.from(key).length <= maxKeyLength && !/\p{Cc}/u.test(key), code)
        .meta({ minLength: 1, maxLength: maxKeyLength }),
    )
    .meta({ description, example });

/** The id of an object in a path. An id that is no UUID is not found. @param thing noun for the description, such as `delivery` */
export const pathId = (thing: string) => ({ id: uuid.meta({ description: `The \`id\` of a ${thing}` }) });

/** Default and maximum number of items of a list. */
const listLimits = { default: 50, most: 500 } as const;

/** The parameter `limit` of a list. @param items noun for the description, such as `Subscriptions` */
export const limit = (items: string) => {
  const code = faultCode("invalid_limit");
  return z
    .string()
    .regex(/^\d{1,9}$/, code)
    .transform(Number)
    .pipe(z.int().min(1, code).max(listLimits.most, code))
    .default(listLimits.default)
    .meta({ description: items, example: 10 });
};
