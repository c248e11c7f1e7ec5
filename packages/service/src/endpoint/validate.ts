import type { z } from "zod";
import { type PublicCode, publicErrors, type RefusalDetails, Refused } from "../errors.ts";

/** Longest text of a fault that an error quotes, in characters. It may hold a name from the body. */
const maxQuoted = 160;

/** Names the error code of a schema: `z.string(faultCode("invalid_bucket"))`. Zod keeps it as the message of the fault. */
export const faultCode = <Code extends PublicCode>(code: Code): Code => code;

const isPublicCode = (text: string): text is PublicCode => Object.hasOwn(publicErrors, text);

/**
 * Validates the path parameters, the query or the body of a request.
 *
 * @throws {Refused} the code of the first schema that the value does not match; `invalid_request` for an unknown member, or if one of the
 * schemas has no code
 */
export function validate<Schema extends z.ZodObject>(schema: Schema, value: unknown): z.output<Schema> {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const { issues } = read.error;
  const [code] = issues.map(({ message }) => message);
  if (code !== undefined && isPublicCode(code) && issues.every(({ message }) => isPublicCode(message)))
    throw new Refused(code);
  throw new Refused("invalid_request", detailsOf(issues[0], Object.keys(schema.shape)));
}

/** Returns the place of a fault, the reason, and what is allowed there. */
function detailsOf(issue: z.core.$ZodIssue | undefined, members: readonly string[]): RefusalDetails {
  if (issue === undefined) return {};
  const target = issue.path.length === 0 ? undefined : issue.path.join(".").slice(0, maxQuoted);
  const reason = issue.message.slice(0, maxQuoted);
  if (issue.code === "unrecognized_keys")
    return { reason, target: issue.keys[0]?.slice(0, maxQuoted), allowed: members };
  return issue.code === "invalid_value"
    ? { reason, target, allowed: issue.values.map(String) }
    : { reason, target };
}
