import { Refused } from "../errors.ts";
import { odataRoot } from "../http/odata-protocol.ts";

/** Kind of a request: a read by its URL, a read with the query in the body (`/$query`), or a batch. */
export type Purpose = "read" | "query" | "batch";

const purposes: readonly (readonly [RegExp, Purpose])[] = [
  [new RegExp(`^${odataRoot}/(?:\\$|%24)batch/?$`), "batch"],
  [/\/(?:\$|%24)query\/?$/, "query"],
];

/** @param path percent-encoded, starts with the OData root */
export const purposeOf = (path: string): Purpose =>
  purposes.find(([pattern]) => pattern.test(path))?.[1] ?? "read";

/** Removes the suffix `/$query`. */
export const withoutQuery = (path: string): string => path.replace(/\/(?:\$|%24)query\/?$/, "");

const methods: Readonly<Record<Purpose, readonly string[]>> = {
  read: ["GET", "HEAD", "OPTIONS"],
  query: ["POST", "OPTIONS"],
  batch: ["POST", "OPTIONS"],
};

/** Returns the header `Allow`. */
export const allowed = (purpose: Purpose): Readonly<Record<"allow", string>> => ({
  allow: methods[purpose].join(", "),
});

/** @throws {Refused} `method_not_allowed` */
export function requireMethod(method: string, purpose: Purpose): void {
  if (!methods[purpose].includes(method))
    throw new Refused("method_not_allowed", { headers: allowed(purpose) });
}
