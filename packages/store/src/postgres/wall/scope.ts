import { type RestrictedQuery, type Scope, scopeOf } from "@cadastre/entitlement";
import type { Query } from "../connection/round-trip.ts";
import type { Run } from "../read/reading-place.ts";

type Grants = Record<"datasets" | "private" | "regions", Record<string, string[]>>;

/** Returns what a scope grants as JSON for the views: dataset ids by resource, and values of regions by kind. */
function grantsText({ datasets, regions }: Scope): string {
  const grants: Grants = { datasets: {}, private: {}, regions: {} };
  const add = (member: keyof Grants, name: string, value: string) => {
    grants[member][name] = [...(grants[member][name] ?? []), value];
  };
  for (const { dataset_id, resources } of datasets)
    for (const [resource, grant] of Object.entries(resources)) {
      add("datasets", resource, dataset_id);
      if (grant.private === true) add("private", resource, dataset_id);
    }
  for (const { kind, value } of regions) add("regions", kind, value);
  return JSON.stringify(grants);
}

const texts = new WeakMap<Scope, string>();

function textOf(scope: Scope): string {
  const text = texts.get(scope) ?? grantsText(scope);
  texts.set(scope, text);
  return text;
}

/** Sets the scope until the end of the transaction, so that no other query sees it. Without a scope, the views are empty. */
const settingOf = (scope: Scope | undefined): Query => ({
  text: "select set_config('cadastre.scope', $1::text, true)",
  values: [scope === undefined ? "" : textOf(scope)],
});

/**
 * Wraps `run` so that statements see only the rows that the query's scope grants: sets `cadastre.scope`, which the views of
 * `wall/build.ts` read.
 */
export function runWithin(query: RestrictedQuery, run: Run): Run {
  const setting = settingOf(scopeOf(query));
  return (queries, isHeld) => run([setting, ...queries], isHeld);
}
