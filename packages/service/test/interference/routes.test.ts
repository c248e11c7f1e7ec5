import { expect, test } from "vitest";
import { odataRoot } from "../../src/http/odata-protocol.ts";
import { openMemoryStore } from "./memory-store.ts";
import { requestsOf } from "./requests.ts";
import { appOver } from "./side.ts";

/** Express's internal record of a route, a router or a handler under a path. */
type Layer = {
  readonly route?: { readonly path: string };
  readonly rawPath?: unknown;
  readonly handle: { readonly stack?: readonly Layer[] };
};

const pathsOf = (stack: readonly Layer[]): readonly string[] =>
  stack.flatMap(({ route, rawPath, handle }) => {
    if (route !== undefined) return [route.path];
    const above = rawPath === "/" ? "" : String(rawPath);
    if (handle.stack !== undefined) return pathsOf(handle.stack).map((path) => above + path);
    return above === "" ? [] : [above];
  });

test("every route of the application is asked", () => {
  const { router } = appOver(openMemoryStore(), () => ({ activeEntitySets: [], scopes: {} }));
  const routes = new Set(pathsOf(router.stack as readonly Layer[]));
  // OData requests are answered before the router sees them.
  routes.add(odataRoot);
  expect([...routes].toSorted()).toEqual(Object.keys(requestsOf).toSorted());
});
