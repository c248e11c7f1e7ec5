import { Refused } from "../errors.ts";
import { odataRoot } from "./protocol.ts";

/** What is done at an address: it is read, by what the address says or by a query in the body, or it takes a batch. */
export type Purpose = "read" | "query" | "batch";

const purposes: readonly (readonly [RegExp, Purpose])[] = [
  [new RegExp(`^${odataRoot}/(?:\\$|%24)batch/?$`), "batch"],
  [/\/(?:\$|%24)query\/?$/, "query"],
];

/** @param path percent-encoded, with the OData root */
export const purposeOf = (path: string): Purpose =>
  purposes.find(([pattern]) => pattern.test(path))?.[1] ?? "read";

/** The address that a query in the body is for. */
export const withoutQuery = (path: string): string => path.replace(/\/(?:\$|%24)query\/?$/, "");

const methods: Readonly<Record<Purpose, readonly string[]>> = {
  read: ["GET", "HEAD", "OPTIONS"],
  query: ["POST", "OPTIONS"],
  batch: ["POST", "OPTIONS"],
};

/** The header `Allow` of an address. */
export const allowed = (purpose: Purpose): Readonly<Record<"allow", string>> => ({
  allow: methods[purpose].join(", "),
});

/** @throws {Refused} `method_not_allowed` */
export function requireMethod(method: string, purpose: Purpose): void {
  if (!methods[purpose].includes(method)) throw new Refused("method_not_allowed", null, allowed(purpose));
}
