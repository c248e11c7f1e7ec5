import { restrict, visibleEntitySet } from "@cadastre/entitlement";
import { bindQuery, parseFilter, parseOrderBy, parseSelect } from "@cadastre/odata";
import type { Position } from "@cadastre/odata/tree";
import type { Change, StoredRecord, StoredResource } from "../../src/index.ts";
import { entitySetOf, property } from "../../src/testing/entity-sets.ts";
import { grantsOf } from "../../src/testing/grants.ts";

const datasets = ["9f0c6c0e-5a1b-4d57-8a35-3f8e1c2b7d10", "2b7e1f64-0c93-4e0a-b8d1-64a7f95c3e21"] as const;

const homes = entitySetOf("Home", [
  property("HomeKey", "Edm.String", { nullable: false }),
  property("Rank", "Edm.Int64"),
  property("Town"),
  property("Place", "Edm.GeographyPoint"),
]);

export const homesResource: StoredResource = {
  entitySet: homes,
  columns: ["Rank", "Town", "Place"],
  indexes: [["Rank", "HomeKey"]],
  points: ["Place"],
  folded: [["Town", "Rank"]],
};

export type Home = {
  readonly key: string;
  /** True for a home of the second dataset. */
  readonly isOther?: boolean;
  readonly rank?: number | null;
  readonly town?: string | null;
  readonly place: Position | null;
};

export const homeRecord = ({ key, isOther = false, rank = 0, town = null, place }: Home): StoredRecord => ({
  resource: "Home",
  datasetId: datasets[isOther ? 1 : 0],
  record: {
    HomeKey: key,
    Rank: rank,
    Town: town,
    Place: place && { type: "Point", coordinates: place },
  },
});

export const homeRemoval = (key: string, isOther = false): Change => ({
  resource: "Home",
  datasetId: datasets[isOther ? 1 : 0],
  removed: [key],
});

/**
 * Compiles a scope of both datasets.
 *
 * @param fields fields granted of the second one
 */
const scopeOf = (fields: "*" | readonly string[], customer?: string) =>
  grantsOf(
    homes,
    { [datasets[0]]: "*", [datasets[1]]: fields },
    { like: "Member", ...(customer === undefined ? {} : { customer }) },
  );

/** Compiles a scope of all fields for a customer. */
export const scopeOfCustomer = (customer: string) => scopeOf("*", customer);

export const scopes = { all: scopeOf("*"), partly: scopeOf(["Rank"]) } as const;

export type AskedHomes = {
  readonly filter?: string | undefined;
  readonly orderBy?: string | undefined;
  readonly top?: number;
  readonly skip?: number;
  readonly ignoreCase?: boolean;
};

/** Parses a query for the keys of homes and restricts it. */
export function askHomes(asked: AskedHomes, scope = scopes.all) {
  const { filter, orderBy, top = 100, skip = 0, ignoreCase = false } = asked;
  const parts = {
    filter: filter === undefined ? undefined : parseFilter(filter),
    orderBy: orderBy === undefined ? undefined : parseOrderBy(orderBy),
    select: parseSelect("HomeKey"),
    top,
    skip,
  };
  return restrict(bindQuery(parts, visibleEntitySet(homes, scope), [], { ignoreCase }), scope);
}
