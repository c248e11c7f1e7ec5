import { expect } from "vitest";
import { type PublicCode, Refused } from "../../src/errors.ts";
import { plainErrorAnswer, toPublicError } from "../../src/http/error-body.ts";

/** The body of an error outside OData, without a target. */
export const errorText = (code: PublicCode): string =>
  plainErrorAnswer(toPublicError(new Refused(code))).body as string;

/** Matches the body of an error outside OData, whatever its target and what is allowed there. */
export const errorBody = (code: string): object =>
  expect.objectContaining({
    error: code,
    message: expect.any(String) as string,
    docs: `docs/errors.md#${code}`,
  }) as object;
