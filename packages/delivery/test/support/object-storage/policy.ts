import { z } from "zod";

const list = z.union([z.string().transform((one) => [one]), z.array(z.string())]);

const statement = z.strictObject({
  Sid: z.string().optional(),
  Effect: z.enum(["Allow", "Deny"]),
  Principal: z.union([z.literal("*"), z.strictObject({ AWS: list })]).optional(),
  Action: list,
  Resource: list.optional(),
  Condition: z.record(z.enum(["StringEquals", "StringLike"]), z.record(z.string(), list)).optional(),
});

const policyShape = z.strictObject({ Version: z.literal("2012-10-17"), Statement: z.array(statement) });

export type Policy = z.infer<typeof policyShape>;
type Statement = Policy["Statement"][number];

/** A policy of IAM, as much of its language as is used here. Anything else is refused. */
export const readPolicy = (text: string): Policy => policyShape.parse(JSON.parse(text));

/** What is to be decided on. */
export type Access = {
  readonly action: string;
  readonly resource: string;
  readonly principal?: string;
  /** Values of condition keys. */
  readonly context?: Readonly<Record<string, string>>;
};

/** Whether a policy allows it: one statement does, and none denies it. */
export const allows = ({ Statement }: Policy, access: Access): boolean => {
  const effects = Statement.filter((one) => applies(one, access)).map(({ Effect }) => Effect);
  return effects.includes("Allow") && !effects.includes("Deny");
};

function applies({ Action, Resource, Principal, Condition }: Statement, access: Access): boolean {
  const { action, resource, principal, context = {} } = access;
  return (
    Action.some((one) => isLike(action, one)) &&
    (Resource === undefined || Resource.some((one) => isLike(resource, one))) &&
    (principal === undefined || (typeof Principal === "object" && Principal.AWS.includes(principal))) &&
    Object.entries(Condition ?? {}).every(([operator, keys]) =>
      Object.entries(keys ?? {}).every(([key, values]) => {
        const value = context[key];
        const holds = (one: string) => (operator === "StringLike" ? isLike(value ?? "", one) : value === one);
        return value !== undefined && values.some(holds);
      }),
    )
  );
}

/** Whether a text is of a pattern with `*` and `?`. */
function isLike(text: string, pattern: string): boolean {
  const source = pattern
    .replace(/[\\^$.+()[\]{}|]/g, "\\$&")
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  return new RegExp(`^${source}$`, "s").test(text);
}

/** A policy that names no actions of KMS: the object gateway knows none, and refuses a policy that names one. */
export const withoutKms = ({ Version, Statement }: Policy): Policy => ({
  Version,
  Statement: Statement.filter(({ Action }) => !Action.every((action) => action.startsWith("kms:"))),
});
