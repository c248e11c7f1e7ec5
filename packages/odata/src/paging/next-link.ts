/** Options that a next link leaves out: the skip token replaces both. */
const replaced = /^\$?(?:skip|skiptoken)$/i;

const isReplaced = (option: string): boolean =>
  replaced.test(decodeURIComponent(option.split("=", 1)[0] ?? ""));

/**
 * Returns the URL of the next page: the same request with `token`, and every other option exactly as written.
 *
 * @param resource absolute URL of the collection, without a query
 * @param query the raw query string of the request (the part after the `?`)
 */
export function nextLink(resource: string, query: string, token: string): string {
  const kept = query.split("&").filter((option) => option !== "" && !isReplaced(option));
  return `${resource}?${[...kept, `$skiptoken=${token}`].join("&")}`;
}
