import { z } from "zod";

/** A setting of the service, given as text. */
export type Setting = {
  /** Its name in `Config`. */
  readonly member: string;
  /** Its member in the settings file: `port`, or `database.url` for the member `url` of the section `database`. */
  readonly path: string;
  /** True if the settings file may give a list, which stands for its items with commas between. */
  readonly isList?: true;
  /** True if the value may be a path, which the settings file gives relative to its own folder. */
  readonly isPath?: true;
  /** True if the settings file may give `<path>_file`, a file with the value, so that it holds no secret itself. */
  readonly hasFileMember?: true;
  readonly is: z.ZodType<unknown, string>;
  /** Description of valid values, to follow "must be". */
  readonly must: string;
  readonly means: string;
  /** True if no message may quote the value. */
  readonly isSecret?: true;
} & (
  | { readonly default: string }
  /** Description of the default, if it is not a fixed text. */
  | { readonly absent: string }
);

/** Returns the check for a whole number between two bounds, and its description. */
export const wholeNumber = (least: number, greatest: number, zero?: string) => ({
  is: z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number)
    .refine((value) => value >= least && value <= greatest),
  must: `a whole number from ${least} to ${greatest}${zero === undefined ? "" : ` (0: ${zero})`}`,
});

/** The check for a yes or no, and its description. */
export const trueOrFalse = {
  is: z.enum(["true", "false"]).transform((value) => value === "true"),
  must: "true or false",
};

/** Returns a schema that parses a text with `read` and rejects it if the result is undefined. */
export const readBy = <T>(read: (text: string) => T | undefined) =>
  z.string().transform((text, context): T => {
    const value = read(text);
    if (value !== undefined) return value;
    context.addIssue({ code: "custom", message: "not read" });
    return z.NEVER;
  });

/** Returns the check for a text of any form. */
export const anyText = (must: string) => ({ is: z.string(), must });

/** True if a text is an address that paths can be appended to. */
export const isBaseUrl = (given: string) => {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  return url !== undefined && /^https?:$/.test(url.protocol) && url.search === "" && url.hash === "";
};

/** The check for a number a second, and its description. */
export const rate = wholeNumber(0, 1_000_000, "no limit");
