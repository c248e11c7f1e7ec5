import { restrict, type Scope, visibleEntitySet } from "@cadastre/entitlement";
import { bindQuery, parseFilter, parseOrderBy, parseSelect } from "@cadastre/odata";
import type { RemovedRecord, StoredRecord, StoredResource } from "../../src/index.ts";
import { entitySetOf, property } from "../../src/testing/entity-sets.ts";
import { grantsOf } from "../../src/testing/grants.ts";

/** The last dataset is granted by none of the scopes. */
const datasets = [
  "9f0c6c0e-5a1b-4d57-8a35-3f8e1c2b7d10",
  "2b7e1f64-0c93-4e0a-b8d1-64a7f95c3e21",
  "c41d8a92-7e36-4b8f-9d04-1a5b60e2f732",
] as const;

const cottages = entitySetOf("Cottage", [
  property("CottageKey", "Edm.String", { nullable: false }),
  property("Rank", "Edm.Int64"),
  property("Remarks"),
  property("Street"),
]);

/** Cottages whose remarks and streets have trigram indexes. */
export const cottagesResource: StoredResource = {
  entitySet: cottages,
  columns: ["Rank", "Remarks", "Street"],
  indexes: [
    ["DatasetId", "CottageKey"],
    ["DatasetId", "Rank", "CottageKey"],
  ],
  texts: ["Remarks", "Street"],
};

export type Cottage = {
  readonly key: string;
  readonly dataset: number;
  readonly rank: number;
  readonly remarks: string | null;
  readonly street: string | null;
};

export const cottageRecord = ({ key, dataset, rank, remarks, street }: Cottage): StoredRecord => ({
  resource: "Cottage",
  datasetId: datasets[dataset] ?? null,
  record: { CottageKey: key, Rank: rank, Remarks: remarks, Street: street },
});

export const cottageRemoval = ({ key, dataset }: Pick<Cottage, "key" | "dataset">): RemovedRecord => ({
  resource: "Cottage",
  datasetId: datasets[dataset] ?? null,
  removed: [key],
});

const scopeOf = (...fields: readonly ("*" | readonly string[])[]) =>
  grantsOf(cottages, Object.fromEntries(fields.map((one, i) => [datasets[i], one])), { like: "Member" });

/** `partly` does not show the remarks of its second dataset. */
export const cottageScopes = {
  one: scopeOf("*"),
  both: scopeOf("*", "*"),
  partly: scopeOf("*", ["CottageKey", "Rank", "Street"]),
} as const satisfies Record<string, Scope>;

export type AskedCottages = {
  readonly filter: string;
  readonly orderBy?: string | undefined;
  readonly top?: number;
  readonly ignoreCase?: boolean;
};

/** Parses a query for the keys of cottages and restricts it. */
export function askCottages(asked: AskedCottages, scope: Scope = cottageScopes.both) {
  const { filter, orderBy, top = 100, ignoreCase = false } = asked;
  const parts = {
    filter: parseFilter(filter),
    orderBy: orderBy === undefined ? undefined : parseOrderBy(orderBy),
    select: parseSelect("CottageKey"),
    top,
  };
  return restrict(bindQuery(parts, visibleEntitySet(cottages, scope), [], { ignoreCase }), scope);
}
