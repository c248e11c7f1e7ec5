import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Number of records in a page of a walk. */
export const pageSize = 1000;

export const byTime = `order by "ModificationTimestamp", "ListingKey"`;

/** A page as the text of a JSON array, and its last record if it is full. */
export type Found = { readonly text: string; readonly last: Readonly<Record<string, unknown>> | undefined };

export const collection = ({ text }: Found, rest = ""): string => `{"value":${text}${rest}}`;

/** Returns a page with a link to the next one. */
export function walked(found: Found): string {
  if (found.last === undefined) return collection(found);
  const { ModificationTimestamp: time, ListingKey: key } = found.last;
  return collection(found, `,"@odata.nextLink":"/next?a=${String(time)}&b=${String(key)}"`);
}

/** Returns the body of an answer to a path with the options `a` and `b`. */
type Answer = (a: string, b: string) => Buffer | string | Promise<Buffer | string>;

/** Answers requests, and tells the process that has started this one the port. */
export function serveFloor(routes: Readonly<Record<string, Answer>>): void {
  const answer = async (url: string, response: ServerResponse) => {
    const [path = "", query = ""] = url.split("?");
    const options = new URLSearchParams(query);
    const answered = (await routes[path]?.(options.get("a") ?? "", options.get("b") ?? "")) ?? "";
    const body = typeof answered === "string" ? Buffer.from(answered) : answered;
    response.setHeader("content-type", "application/json");
    response.setHeader("content-length", body.length);
    response.end(body);
  };
  const server = createServer((request, response) => void answer(request.url ?? "", response));
  server.keepAliveTimeout = 600_000;
  server.listen(0, "127.0.0.1", () => {
    process.send?.({ port: (server.address() as AddressInfo).port, keys: {} });
  });
}
