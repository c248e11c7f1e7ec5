import { type Grants, partialFields, seenSet } from "./projection.ts";
import type { Request, Texts } from "./requests.ts";
import { type ResourceName, universeSet } from "./universe.ts";

/** Returns the path and query of a request by a caller with these grants. */
export function targetOf(request: Request, grants: Grants): string {
  const query = Object.entries(optionsOf(request, grants)).map(
    ([name, text]) => `${name}=${encodeURIComponent(text)}`,
  );
  return query.length === 0 ? request.path : `${request.path}?${query.join("&")}`;
}

/** Returns the options of a request by a caller with these grants, with fitting names of fields. */
export function optionsOf({ resource, options, aim }: Request, grants: Grants): Texts {
  const seen = seenSet(resource, grants);
  if (aim === "any" || seen === undefined) return options;
  const names = [...seen.type.properties.keys()];
  const preferred = {
    seen: () => [],
    partial: () => partialFields(resource, grants),
    hidden: () =>
      [...universeSet(resource).type.properties.keys()].filter((name) => !seen.type.properties.has(name)),
  }[aim]();
  return Object.fromEntries(
    Object.entries(options).map(([name, text]) => [name, fitted(text, resource, [preferred, names])]),
  );
}

/** Replaces each field name by one of a field of the same type, from the first list that has one. */
function fitted(text: string, resource: ResourceName, lists: readonly (readonly string[])[]): string {
  const { properties } = universeSet(resource).type;
  return text.replace(/[A-Z]\w+/g, (name) => {
    const field = properties.get(name);
    if (field === undefined) return name;
    const isAlike = (other: string) => {
      const one = properties.get(other);
      return one?.type === field.type && one.collection === field.collection;
    };
    for (const list of lists) {
      const alike = list.filter(isAlike);
      if (alike.includes(name)) return name;
      const found = alike[name.length % Math.max(alike.length, 1)];
      if (found !== undefined) return found;
    }
    return name;
  });
}
