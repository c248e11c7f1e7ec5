/** Options that a next link does not carry over: the token stands for both. */
const replaced = /^\$?(?:skip|skiptoken)$/i;

const isReplaced = (option: string): boolean =>
  replaced.test(decodeURIComponent(option.split("=", 1)[0] ?? ""));

/**
 * The address of the next page: the same request with `token`, every other option as it was written.
 *
 * @param resource absolute address of the collection, without a query
 * @param query the raw query string of the request, as after the `?`
 */
export function nextLink(resource: string, query: string, token: string): string {
  const kept = query.split("&").filter((option) => option !== "" && !isReplaced(option));
  return `${resource}?${[...kept, `$skiptoken=${token}`].join("&")}`;
}
