/** Options that state the position in a result; a skip token replaces them. */
const position: readonly string[] = ["skip", "skiptoken"];

/** Options that say which part of a result is read, and how, but not what belongs to it. */
const view: readonly string[] = [...position, "deltatoken", "top", "orderby", "count"];

/** Returns the options of a raw query string except for some, each exactly as written. */
const without = (query: string, names: readonly string[]): readonly string[] =>
  query.split("&").filter((option) => {
    const name = decodeURIComponent(option.split("=", 1)[0] ?? "");
    return option !== "" && !names.includes(name.replace(/^\$/, "").toLowerCase());
  });

const linkTo = (resource: string, options: readonly string[]): string =>
  options.length === 0 ? resource : `${resource}?${options.join("&")}`;

/**
 * Returns the URL of the next page: the same request with `token`, and every other option exactly as written.
 *
 * @param resource absolute URL of the collection, without a query
 * @param query the raw query string of the request (the part after the `?`)
 */
export const nextLink = (resource: string, query: string, token: string): string =>
  linkTo(resource, [...without(query, position), `$skiptoken=${token}`]);

/**
 * Returns the URL that later answers with what has changed since: the request with `token`, without `$top`, `$skip`, `$count` and
 * `$orderby`. Source: OData Protocol 4.01, section 11.3.
 */
export const deltaLink = (resource: string, query: string, token: string): string =>
  linkTo(resource, [...without(query, view), `$deltatoken=${token}`]);

/** Returns the URL of the next page of changes: the same request with another token. */
export const nextChangesLink = (resource: string, query: string, token: string): string =>
  linkTo(resource, [...without(query, ["deltatoken"]), `$deltatoken=${token}`]);

/** Returns the URL of the whole result, of which a delta link tells the changes. */
export const wholeResultLink = (resource: string, query: string): string =>
  linkTo(resource, without(query, view));
