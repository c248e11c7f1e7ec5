import type { Entitlement, Region, ResourceGrant } from "@cadastre/entitlement";

/**
 * Reference implementation of an entitlement over plain rows, without bound trees: the visible rows of Property, each with
 * its visible members, masked. A hidden value is null, a hidden list empty.
 */
export type Row = Readonly<Record<string, unknown>>;

const always = ["ListingKey", "ModificationTimestamp", "OriginatingSystemName"];
const inputs: Readonly<Record<string, readonly string[]>> = {
  Coordinates: ["Latitude", "Longitude"],
  GeoHash: ["Latitude", "Longitude"],
  GeoHashPrefix: ["GeoHash"],
};

/** Fields whose values a field's values contain. */
const held: Readonly<Record<string, readonly string[]>> = {
  AddressLine: ["City", "PostalCode"],
  Label: ["AddressLine", "City", "PostalCode"],
};

export function entitledRows(rows: readonly Row[], { datasets, regions }: Entitlement): readonly Row[] {
  return rows.flatMap((row) => {
    const dataset = datasets.find(({ dataset_id }) => dataset_id === row["DatasetId"]);
    const grant = dataset?.resources["Property"];
    if (grant === undefined || !regions.some((region) => contains(region, row))) return [];
    return [Object.fromEntries(Object.keys(row).map((name) => [name, seenValue(name, row, grant)]))];
  });
}

function seenValue(name: string, row: Row, grant: ResourceGrant): unknown {
  const reveals = (held[name] ?? []).some((other) => grant.masks?.[other] !== undefined);
  if (!isShown(name, grant) || reveals) return masked(row[name], "null");
  const isDerivedAnew = (inputs[name] ?? []).some((input) => isMasked(input, grant));
  return masked(isDerivedAnew ? derived(name, row, grant) : row[name], grant.masks?.[name]);
}

const isShown = (name: string, grant: ResourceGrant): boolean =>
  always.includes(name) ||
  ((grant.fields === "*" || grant.fields.includes(name)) &&
    (inputs[name] ?? []).every((input) => isShown(input, grant)));

const isMasked = (name: string, grant: ResourceGrant): boolean =>
  grant.masks?.[name] !== undefined || (inputs[name] ?? []).some((input) => isMasked(input, grant));

function derived(name: string, row: Row, grant: ResourceGrant): unknown {
  const coordinates = [seenValue("Longitude", row, grant), seenValue("Latitude", row, grant)];
  return name !== "Coordinates" || coordinates.includes(null) ? null : { type: "Point", coordinates };
}

function masked(value: unknown, mask: string | undefined): unknown {
  const count = Number(mask?.match(/\d+/));
  if (mask === "null") return Array.isArray(value) ? [] : null;
  if (value === null || mask === undefined) return value;
  if (typeof value === "string") return Array.from(value).slice(0, count).join("");
  const power = 10 ** count;
  return (Math.sign(Number(value)) * Math.round(Math.abs(Number(value)) * power)) / power + 0;
}

function contains({ kind, value }: Region, row: Row): boolean {
  const { StateOrProvince, CountyOrParish, PostalCode, OriginatingSystemName } = row;
  switch (kind) {
    case "national":
      return true;
    case "state":
      return StateOrProvince === value;
    case "county":
      return [StateOrProvince, CountyOrParish].join("/") === value;
    case "zip":
      return typeof PostalCode === "string" && PostalCode.slice(0, 5) === value;
    case "originating_system":
      return OriginatingSystemName === value;
  }
}
