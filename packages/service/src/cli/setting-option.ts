import { InvalidArgumentError } from "commander";
import type { z } from "zod";

/** Returns the parser of an option that has the values of a setting. */
export const parseBySetting =
  <Is extends z.ZodType>({ is, must }: { readonly is: Is; readonly must: string }) =>
  (text: string): z.output<Is> => {
    const read = is.safeParse(text);
    if (!read.success) throw new InvalidArgumentError(`It must be ${must}.`);
    return read.data;
  };
