import {
  compileScope,
  type Entitlement,
  type Scope,
  scopeWithin,
  visibleEntitySet,
} from "@cadastre/entitlement";
import type { EntitySet } from "@cadastre/odata";
import type { Store } from "@cadastre/store";
import { systemScope } from "../../identity/system-scope.ts";
import { keysQuery } from "../../ingest/candidate-query.ts";
import { type GrantCatalog, systemIdOf } from "./grant-catalog.ts";

/** Number of records of a set that a document shows of one system. */
export type VisibleCount = {
  readonly resource: string;
  readonly system: string;
  readonly visible: number;
  /** Number of records that are stored. */
  readonly stored: number;
  /** Number of visible fields. */
  readonly fields: number;
};

/** Counts what a document would show, by set and system. Leaves out those of which it grants nothing. Records that all systems share are counted with each. */
export async function countVisible(
  store: Pick<Store, "count">,
  document: Entitlement,
  catalog: GrantCatalog,
): Promise<readonly VisibleCount[]> {
  const scope = compileScope(document, catalog.scopeOptions);
  const counts: VisibleCount[] = [];
  for (const set of catalog.scopeOptions.entitySets)
    for (const { datasetId } of catalog.systems) {
      const within = scopeWithin(scope, datasetId);
      if (!within.visible(set.name)) continue;
      counts.push({
        resource: set.name,
        system: systemIdOf(catalog, datasetId),
        visible: await countOf(store, set, within),
        stored: await countOf(store, set, scopeWithin(systemScope(catalog.catalog), datasetId)),
        fields: visibleEntitySet(set, within).type.properties.size,
      });
    }
  return counts;
}

const countOf = (store: Pick<Store, "count">, set: EntitySet, scope: Scope): Promise<number> =>
  store.count(keysQuery(set, scope));
