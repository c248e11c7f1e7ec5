import { nearest } from "@cadastre/odata";
import { type ServiceLimits, type ServiceOptions, unrestricted } from "./service-options.ts";

type AnyOptions = ServiceOptions<never, never>;

/** A check of one option: what it must be, and whether a value is that. */
type Check = readonly [expected: string, holds: (value: unknown) => boolean];

const simpleName = /^[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}\p{Cf}]{0,127}$/u;

const isSimpleName = (value: unknown): boolean => typeof value === "string" && simpleName.test(value);

const aFunction: Check = ["a function", (value) => typeof value === "function"];
const aVersion: Check = ['"4.0" or "4.01"', (value) => value === "4.0" || value === "4.01"];

const atLeast = (least: number): Check => [
  least === 1 ? "a whole number, 1 or more" : "a whole number, 0 or more",
  (value) => Number.isSafeInteger(value) && Number(value) >= least,
];

/** Options by name. Those that may be left out are checked if they are given. */
const checks: Readonly<Record<keyof AnyOptions, Check>> = {
  namespace: [
    "one or more names with dots between them, such as `Office`",
    (value) => typeof value === "string" && value.split(".").every(isSimpleName),
  ],
  container: ["a name, such as `Container`", isSimpleName],
  entitySets: ["a list of entity sets", Array.isArray],
  source: ["a source, such as `sqliteSource(database)`", (value) => typeof value === "function"],
  restrict: [
    "`unrestricted`, or a function that returns what the caller may see of each entity set",
    (value) => value === unrestricted || typeof value === "function",
  ],
  authorize: aFunction,
  switchedOff: ["a list of system options", Array.isArray],
  limits: ["an object", (value) => typeof value === "object" && value !== null],
  skipTokenKey: ["32 bytes", (value) => value instanceof Uint8Array && value.length === 32],
  tokenLife: atLeast(1),
  version: aVersion,
  baseUrl: ["an absolute URL", (value) => typeof value === "string" && URL.canParse(value)],
  onError: aFunction,
  onMismatch: aFunction,
};

const limitChecks: Readonly<Record<keyof ServiceLimits, Check>> = {
  pageSize: atLeast(1),
  maxTop: atLeast(1),
  maxSkip: atLeast(0),
  batchRequests: atLeast(1),
};

const required = ["namespace", "entitySets", "source", "restrict"] as const;

/** Requires that the options of a service are complete and of the right types, since a host may be written without types. @throws {TypeError} */
export function checkOptions(options: Readonly<Record<string, unknown>>): void {
  checkMembers(options, checks, required, "");
  const limits = options["limits"];
  if (limits !== undefined)
    checkMembers(limits as Readonly<Record<string, unknown>>, limitChecks, [], "limits.");
}

function checkMembers(
  given: Readonly<Record<string, unknown>>,
  known: Readonly<Record<string, Check>>,
  needed: readonly string[],
  prefix: string,
): void {
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(known, name)) continue;
    const limit = prefix === "" && Object.hasOwn(limitChecks, name) ? `limits.${name}` : undefined;
    const meant = limit ?? nearest(name, Object.keys(known));
    throw new TypeError(
      `there is no option \`${prefix}${name}\`${meant === undefined ? "" : `, did you mean \`${meant}\`?`}`,
    );
  }
  for (const [name, [expected, holds]] of Object.entries(known)) {
    const value = given[name];
    if (value === undefined ? needed.includes(name) : !holds(value))
      throw new TypeError(`the option \`${prefix}${name}\` must be ${expected}`);
  }
}
