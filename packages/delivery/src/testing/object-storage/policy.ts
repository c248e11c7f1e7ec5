import { z } from "zod";

const list = z.union([z.string().transform((one) => [one]), z.array(z.string())]);

const operatorNames = ["StringEquals", "StringLike", "StringNotEquals", "Null"] as const;

const statement = z.strictObject({
  Sid: z.string().optional(),
  Effect: z.enum(["Allow", "Deny"]),
  Principal: z.union([z.literal("*"), z.strictObject({ AWS: list })]).optional(),
  Action: list,
  Resource: list.optional(),
  Condition: z.partialRecord(z.enum(operatorNames), z.record(z.string(), list)).optional(),
});

const policyShape = z.strictObject({ Version: z.literal("2012-10-17"), Statement: z.array(statement) });

export type Policy = z.infer<typeof policyShape>;
type Statement = Policy["Statement"][number];

/** Parses an IAM policy. Only the parts of the language that are used here are supported; anything else is refused. */
export const readPolicy = (text: string): Policy => policyShape.parse(JSON.parse(text));

/** An access to be decided on. */
export type RequestedAccess = {
  readonly action: string;
  readonly resource: string;
  readonly principal?: string;
  /** Values of condition keys by name. */
  readonly context?: Readonly<Record<string, string>>;
};

/** Returns the access that a role's trust policy decides on, for the form of a request to STS. */
export function assumption(form: URLSearchParams): RequestedAccess {
  const externalId = form.get("ExternalId");
  const context = externalId === null ? {} : { "sts:ExternalId": externalId };
  return { action: "sts:AssumeRole", resource: "", context };
}

/** Returns the effect of a policy on an access; undefined if no statement applies. A denial overrides all permissions. */
export function effectOf({ Statement }: Policy, access: RequestedAccess): "Allow" | "Deny" | undefined {
  const effects = Statement.filter((one) => applies(one, access)).map(({ Effect }) => Effect);
  return effects.includes("Deny") ? "Deny" : effects[0];
}

export const allows = (policy: Policy, access: RequestedAccess): boolean =>
  effectOf(policy, access) === "Allow";

function applies({ Action, Resource, Principal, Condition }: Statement, access: RequestedAccess): boolean {
  const { action, resource, principal, context = {} } = access;
  return (
    Action.some((one) => isLike(action, one)) &&
    (Resource === undefined || Resource.some((one) => isLike(resource, one))) &&
    (principal === undefined || Principal === "*" || (Principal?.AWS.includes(principal) ?? false)) &&
    operatorNames.every((operator) =>
      Object.entries(Condition?.[operator] ?? {}).every(([key, values]) =>
        operators[operator](context[key], values),
      ),
    )
  );
}

/** Tests on the value of a condition key, which may be absent. */
const operators: Readonly<
  Record<(typeof operatorNames)[number], (value: string | undefined, values: readonly string[]) => boolean>
> = {
  StringEquals: (value, values) => value !== undefined && values.includes(value),
  StringNotEquals: (value, values) => value === undefined || !values.includes(value),
  StringLike: (value, values) => value !== undefined && values.some((pattern) => isLike(value, pattern)),
  Null: (value, [wanted]) => String(value === undefined) === wanted,
};

/** True if a text matches a pattern with `*` and `?`. */
function isLike(text: string, pattern: string): boolean {
  const source = pattern
    .replace(/[\\^$.+()[\]{}|]/g, "\\$&")
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  return new RegExp(`^${source}$`, "s").test(text);
}

/** Removes statements on KMS from a policy: the object gateway refuses a policy that names KMS actions. */
export const withoutKms = ({ Version, Statement }: Policy): Policy => ({
  Version,
  Statement: Statement.filter(({ Action }) => !Action.every((action) => action.startsWith("kms:"))),
});
