import {
  datasetProperty,
  type ResourceGrant,
  type RestrictedApply,
  restrict,
  restrictApply,
  type Scope,
  visibleEntitySet,
} from "@cadastre/entitlement";
import { bindQuery, parseFilter, parseOrderBy, parseSelect, type Row } from "@cadastre/odata";
import { bindApplied, bindApply, parseApply } from "@cadastre/odata/apply";
import type { StoredRecord, StoredResource } from "../../src/index.ts";
import { entitySetOf, property } from "../../src/testing/entity-sets.ts";
import { grantsOf } from "../../src/testing/grants.ts";

const datasets = ["9f0c6c0e-5a1b-4d57-8a35-3f8e1c2b7d10", "2b7e1f64-0c93-4e0a-b8d1-64a7f95c3e21"] as const;

const properties = [
  property("PlotKey", "Edm.String", { nullable: false }),
  property("PostalCode"),
  property("Street"),
  property("Price", "Edm.Decimal", { precision: 14, scale: 2 }),
  property("Tax", "Edm.Decimal", { precision: 14, scale: 4 }),
  property("Score", "Edm.Double"),
  property("Ratio", "Edm.Single"),
  property("Rooms", "Edm.Int64"),
  property("Tags", "Edm.String", { collection: true, nullable: false }),
  property("Latitude", "Edm.Decimal", { precision: 12, scale: 8 }),
  property("Longitude", "Edm.Decimal", { precision: 12, scale: 8 }),
  property("Coordinates", "Edm.GeographyPoint", { derivedFrom: ["Latitude", "Longitude"] }),
  property("Placekey", "Edm.String", { derivedFrom: ["Latitude", "Longitude"] }),
];

/** Entity set with fields that can be masked. */
const plots = entitySetOf("Plot", properties);

/** Half of the maskable properties have a column; the others are only in the record's JSON. */
export const plotsResource: StoredResource = {
  entitySet: plots,
  columns: ["PostalCode", "Price", "Score", "Latitude", "Longitude", "Coordinates"],
  indexes: [["PostalCode", "Price"], ["Price"]],
  points: ["Coordinates"],
};

export type Plot = { readonly dataset: 0 | 1; readonly values: Row };

export const plotRecord = ({ dataset, values }: Plot, key: string): StoredRecord => ({
  resource: "Plot",
  datasetId: datasets[dataset],
  record: { PlotKey: key, ...values },
});

/** Returns a record as a row for evaluation in memory. */
export const plotRow = ({ datasetId, record }: StoredRecord): Row => ({
  ...record,
  [datasetProperty.name]: datasetId,
});

export const plotScope = (first: ResourceGrant, second: ResourceGrant): Scope =>
  grantsOf(plots, { [datasets[0]]: first, [datasets[1]]: second }, { like: "Member" });

export type AskedPlots = {
  readonly filter?: string | undefined;
  readonly orderBy?: string | undefined;
  readonly select?: string | undefined;
  readonly top?: number;
};

export function askPlots({ filter, orderBy, select, top = 1000 }: AskedPlots, scope: Scope) {
  const parts = {
    filter: filter === undefined ? undefined : parseFilter(filter),
    orderBy: orderBy === undefined ? undefined : parseOrderBy(orderBy),
    select: select === undefined ? undefined : parseSelect(select),
    top,
  };
  return restrict(bindQuery(parts, visibleEntitySet(plots, scope)), scope);
}

/** Binds `$apply` to the plots that a scope shows, and restricts it. */
export function applyToPlots(apply: string, top: number, scope: Scope, least: number): RestrictedApply {
  const bound = bindApply(parseApply(apply), visibleEntitySet(plots, scope));
  return restrictApply(bindApplied(bound, { top }), scope, least);
}
