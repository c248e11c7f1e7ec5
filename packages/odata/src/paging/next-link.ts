/** Options that a next link does not carry over: the token stands for both. */
const replaced = /^(?:\$|%24)?(?:skip|skiptoken)=/i;

/**
 * The address of the next page: the same request with `token`, every other option as it was written.
 *
 * @param resource absolute address of the collection, without a query
 * @param query the raw query string of the request, as after the `?`
 */
export function nextLink(resource: string, query: string, token: string): string {
  const kept = query.split("&").filter((option) => option !== "" && !replaced.test(option));
  return `${resource}?${[...kept, `$skiptoken=${token}`].join("&")}`;
}
