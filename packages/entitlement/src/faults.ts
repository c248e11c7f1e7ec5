import { nearest } from "@cadastre/odata/tree";
import type { z } from "zod";
import { causeOf, entitlementSchema, type ResourceGrant, ruleOfIssue } from "./document.ts";
import { EntitlementError, type EntitlementErrorCode } from "./errors.ts";
import { type Grantable, grantFaults } from "./grants.ts";
import { isMask, type Mask } from "./mask.ts";
import { resourceRules, ruleOf } from "./resources/index.ts";
import { grantableOf, type ScopeOptions } from "./scope.ts";

/** Path of a member in a document: names of members, and indexes of lists. */
export type DocumentPath = readonly (string | number)[];

/** A fault of a document, for the person who writes it. */
export type EntitlementFault = {
  readonly code: EntitlementErrorCode;
  /** Path of the faulty member. A member that is missing has the path that it should have. */
  readonly path: DocumentPath;
  /** What is wrong, as one sentence without a full stop. */
  readonly message: string;
  /** Names and values that are allowed in its place; empty if they cannot be listed. */
  readonly allowed: readonly string[];
  /** The allowed name that is most similar to the given one. */
  readonly suggestion?: string;
};

export type FaultOptions = ScopeOptions & {
  /** Time of the check, in seconds since 1970: a document that has expired by then is faulty. By default its times are not checked. */
  readonly at?: number;
};

/**
 * Returns all faults of a document, in the order of the document's members: those for which `parseEntitlement` and `compileScope` refuse it,
 * and its expiry. Does not verify a signature.
 */
export function findFaults(document: unknown, options: FaultOptions): readonly EntitlementFault[] {
  const parsed = entitlementSchema.safeParse(document);
  const issues = parsed.success ? [] : parsed.error.issues;
  const ofSchema = issues.flatMap((issue) => schemaFaults(issue, [], document));
  const known = new Set(ofSchema.map(({ path }) => JSON.stringify(path)));
  const others = [...modelFaults(document, options), ...expiryFaults(document, options.at)];
  return inOrder(document, [...ofSchema, ...others.filter(({ path }) => !known.has(JSON.stringify(path)))]);
}

/** Faults of one issue of the schema. */
function schemaFaults(
  issue: z.core.$ZodIssue,
  base: DocumentPath,
  document: unknown,
): readonly EntitlementFault[] {
  const path = [...base, ...issue.path.map((step) => (typeof step === "symbol" ? String(step) : step))];
  const value = memberAt(document, path);
  const fault = (at: DocumentPath, message: string, allowed: readonly string[] = []) =>
    withSuggestion({ code: causeOf(issue), path: at, message, allowed }, memberAt(document, at));
  if (issue.code === "unrecognized_keys") {
    const allowed = membersAt(entitlementSchema, path);
    return issue.keys.map((key) =>
      withSuggestion(
        { code: causeOf(issue), path: [...path, key], message: `\`${key}\` is no member here`, allowed },
        key,
      ),
    );
  }
  if (value === undefined) return [fault(path, `is missing: it must be ${issue.message}`)];
  if (issue.code === "invalid_key")
    return [fault(path, `must be ${issue.issues[0]?.message ?? issue.message}`)];
  if (issue.code === "invalid_union" && Array.isArray(value))
    return (issue.errors.at(-1) ?? []).flatMap((nested) => schemaFaults(nested, path, document));
  if (issue.code === "invalid_value") {
    const allowed = issue.values.map(String);
    return [
      fault(
        path,
        typeof value === "string" ? `${quoted(value)} is not allowed` : `must be ${issue.message}`,
        allowed,
      ),
    ];
  }
  const { rule, identity = String, member } = ruleOfIssue(issue) ?? {};
  if (rule === "duplicate" && Array.isArray(value))
    return repetitions(value, identity).map(({ index, first }) =>
      fault([...path, index], `repeats item ${first}: name it once`),
    );
  return [fault(member === undefined ? path : [...path, member], `must be ${issue.message}`)];
}

function repetitions(items: readonly unknown[], identity: (item: unknown) => unknown) {
  const firsts = new Map<unknown, number>();
  return items.flatMap((item, index) => {
    const first = firsts.get(identity(item));
    if (first === undefined) firsts.set(identity(item), index);
    return first === undefined ? [] : [{ index, first }];
  });
}

/** Faults of the grants against the model. */
function* modelFaults(document: unknown, options: FaultOptions): Generator<EntitlementFault> {
  const grantable = grantableOf(options);
  const granted = new Set(
    listAt(document, ["datasets"]).map((dataset) => String(memberAt(dataset, ["dataset_id"]))),
  );
  for (const [i, dataset] of listAt(document, ["datasets"]).entries()) {
    const id = memberAt(dataset, ["dataset_id"]);
    const path = ["datasets", i];
    if (typeof id === "string" && options.datasets?.has(id) === false) {
      const fault = {
        code: "entitlement_unknown_dataset",
        path: [...path, "dataset_id"],
        message: `${quoted(id)} is not the id of a dataset`,
        allowed: [...options.datasets],
      } as const;
      yield withSuggestion(fault, id);
    }
    for (const [resource, given] of Object.entries(objectAt(dataset, ["resources"]))) {
      const resourcePath = [...path, "resources", resource];
      const found = tryGrantable(grantable, resource);
      if (found instanceof EntitlementError) {
        yield ofError(found, resourcePath, resource, { names: grantableNames(options) });
        continue;
      }
      for (const { error, path: within, allowed } of grantFaults(validPartOf(given), found, granted)) {
        const at = [...resourcePath, ...within];
        yield ofError(
          error,
          at,
          String(within[0] === "masks" ? within.at(-1) : memberAt(document, at)),
          allowed(),
        );
      }
    }
  }
}

/** Returns the members of a grant that fit the schema, so that a fault in one does not hide the others. */
function validPartOf(given: unknown): ResourceGrant {
  const fields = memberAt(given, ["fields"]);
  const masks = Object.entries(objectAt(given, ["masks"])).filter((entry): entry is [string, Mask] =>
    isMask(entry[1]),
  );
  const isTrue = (member: string) => memberAt(given, [member]) === true;
  return {
    fields: Array.isArray(fields) ? fields.map(String) : "*",
    masks: Object.fromEntries(masks),
    ...(isTrue("private") ? { private: true } : {}),
    ...(isTrue("contact") ? { contact: true } : {}),
  };
}

function tryGrantable(grantable: (resource: string) => Grantable, resource: string) {
  try {
    return grantable(resource);
  } catch (error) {
    if (error instanceof EntitlementError) return error;
    throw error;
  }
}

/** Returns the names of the resources whose rows a grant can show. */
const grantableNames = ({ entitySets, rules = resourceRules }: ScopeOptions): readonly string[] =>
  entitySets.flatMap(({ name }) => (ruleOf(name, rules) === undefined ? [] : [name]));

/** Writes seconds since 1970 as a time of ISO 8601, as far as there is one. */
const instantOf = (seconds: number): string =>
  Number.isFinite(new Date(seconds * 1000).getTime())
    ? new Date(seconds * 1000).toISOString()
    : String(seconds);

function expiryFaults(document: unknown, at: number | undefined): readonly EntitlementFault[] {
  const exp = memberAt(document, ["exp"]);
  if (at === undefined || typeof exp !== "number" || exp > at) return [];
  return [
    {
      code: "entitlement_expired",
      path: ["exp"],
      message: `${instantOf(exp)} has passed: it must be later than now, ${Math.floor(at)}`,
      allowed: [],
    },
  ];
}

type Allowed = { readonly names?: readonly string[]; readonly values?: readonly string[] };

const ofError = (
  { code, message }: EntitlementError,
  path: DocumentPath,
  given: string,
  { names = [], values = [] }: Allowed,
): EntitlementFault => withSuggestion({ code, path, message, allowed: [...names, ...values] }, given);

function withSuggestion(fault: EntitlementFault, given: unknown): EntitlementFault {
  const suggestion = typeof given === "string" ? nearest(given, fault.allowed) : undefined;
  return suggestion === undefined || suggestion === given ? fault : { ...fault, suggestion };
}

const quoted = (text: string) => `\`${text.length > 60 ? `${text.slice(0, 60)}…` : text}\``;

/** Returns the names of the members that the schema has at a path. */
function membersAt(schema: unknown, path: DocumentPath): readonly string[] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const [step, ...rest] = path;
  switch (def.type) {
    case "object":
      return step === undefined ? Object.keys(def.shape) : membersAt(def.shape[step], rest);
    case "array":
      return membersAt(def.element, rest);
    case "record":
      return membersAt(def.valueType, rest);
    case "optional":
      return membersAt(def.innerType, path);
    default:
      return [];
  }
}

function memberAt(value: unknown, path: DocumentPath): unknown {
  return path.reduce<unknown>(
    (at, step) =>
      typeof at === "object" && at !== null && Object.hasOwn(at, step)
        ? (at as Readonly<Record<string | number, unknown>>)[step]
        : undefined,
    value,
  );
}

function listAt(value: unknown, path: DocumentPath): readonly unknown[] {
  const list = memberAt(value, path);
  return Array.isArray(list) ? list : [];
}

function objectAt(value: unknown, path: DocumentPath): object {
  const object = memberAt(value, path);
  return typeof object === "object" && object !== null && !Array.isArray(object) ? object : {};
}

/** Sorts faults by the position of their member in the document. A missing member follows those that exist. */
function inOrder(document: unknown, faults: readonly EntitlementFault[]): readonly EntitlementFault[] {
  const positions = new Map(faults.map((fault) => [fault, positionOf(document, fault.path)]));
  return faults.toSorted((a, b) => comparePositions(positions.get(a) ?? [], positions.get(b) ?? []));
}

function positionOf(document: unknown, path: DocumentPath): readonly number[] {
  let at = document;
  return path.map((step) => {
    const keys = typeof at === "object" && at !== null ? Object.keys(at) : [];
    const index = keys.indexOf(String(step));
    at = memberAt(at, [step]);
    return index === -1 ? keys.length : index;
  });
}

function comparePositions(a: readonly number[], b: readonly number[]): number {
  for (const [i, position] of a.entries()) {
    const other = b[i];
    if (other === undefined) return 1;
    if (position !== other) return position - other;
  }
  return a.length - b.length;
}
