import { type RestrictedQuery, type Scope, scopeOf } from "@cadastre/entitlement";
import type { Run } from "../reader-pool.ts";
import type { Query } from "../round-trip.ts";

type Grants = Record<"datasets" | "private" | "regions", Record<string, string[]>>;

/** What a scope grants as the wall reads it: ids of datasets by resource, values of regions by kind. */
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

/** The setting ends with the transaction, so no other query meets it. A query without a scope sees nothing. */
const settingOf = (scope: Scope | undefined): Query => ({
  text: "select set_config('cadastre.scope', $1::text, true)",
  values: [scope === undefined ? "" : textOf(scope)],
});

/** Runs statements behind the wall, which lets through what the query's scope grants. */
export function runWithin(query: RestrictedQuery, run: Run): Run {
  const setting = settingOf(scopeOf(query));
  return (queries, isHeld) => run([setting, ...queries], isHeld);
}
