import type { Entitlement, Region } from "@cadastre/entitlement";

/**
 * What an entitlement means, over plain rows and without a tree: the rows of Property that are visible, each with
 * the members that are. A hidden value is null, a hidden list empty.
 */
export type Row = Readonly<Record<string, unknown>>;

const always = ["ListingKey", "ModificationTimestamp", "OriginatingSystemName"];
const inputs: Readonly<Record<string, readonly string[]>> = {
  GeoHash: ["Latitude", "Longitude"],
  GeoHashPrefix: ["GeoHash"],
};

export function entitledRows(rows: readonly Row[], { datasets, regions }: Entitlement): readonly Row[] {
  return rows.flatMap((row) => {
    const grants = datasets.filter(({ dataset_id }) => dataset_id === row["DatasetId"]);
    const fields = grants.flatMap(({ resources }) => resources["Property"]?.fields ?? []);
    if (fields.length === 0 || !regions.some((region) => contains(region, row))) return [];
    return [
      Object.fromEntries(
        Object.entries(row).map(([name, value]) => [name, shown(name, fields) ? value : hide(value)]),
      ),
    ];
  });
}

const hide = (value: unknown) => (Array.isArray(value) ? [] : null);

const shown = (name: string, fields: readonly string[]): boolean =>
  always.includes(name) ||
  ((fields.includes(name) || fields.includes("*")) &&
    (inputs[name] ?? []).every((input) => shown(input, fields)));

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
