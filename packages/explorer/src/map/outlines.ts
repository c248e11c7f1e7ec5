import { signal } from "@preact/signals";
import { geoCentroid, geoMercator, geoPath } from "d3-geo";
import { feature, mesh } from "topojson-client";
import type { GeometryCollection, Topology } from "topojson-specification";
import countiesAddress from "us-atlas/counties-10m.json?url";
import statesAddress from "us-atlas/states-10m.json?url";
import type { LonLat } from "../query/area-terms.ts";

/** Width of the world that outlines are drawn in. */
export const outlineWorld = 4096;

/** Outlines of regions, in a Mercator world of {@link outlineWorld} units, and their names. */
export type Outlines = {
  readonly land: Path2D;
  /** Borders between two regions, and coasts. */
  readonly borders: Path2D;
  readonly labels: readonly { readonly name: string; readonly place: LonLat }[];
};

const projection = geoMercator()
  .scale(outlineWorld / (2 * Math.PI))
  .translate([outlineWorld / 2, outlineWorld / 2])
  // Lines of a topology are short: none needs to be bent.
  .precision(0);

type Regions = GeometryCollection<{ readonly name: string }>;

async function load(address: string, member: string): Promise<Outlines> {
  const response = await fetch(address);
  const topology = (await response.json()) as Topology<Record<string, Regions>>;
  const regions = topology.objects[member];
  if (regions === undefined) throw new Error(`the outlines have no ${member}`);
  const print = geoPath(projection);
  const collection = feature(topology, regions);
  return {
    land: new Path2D(print(collection) ?? ""),
    borders: new Path2D(print(mesh(topology, regions)) ?? ""),
    labels: collection.features.map((region) => ({
      name: region.properties.name,
      place: geoCentroid(region),
    })),
  };
}

/** Outlines of the states, and of the counties once somebody has come close. Undefined until they are loaded. */
export const stateOutlines = signal<Outlines | undefined>(undefined);
export const countyOutlines = signal<Outlines | undefined>(undefined);

type OutlineFile = { readonly address: string; readonly member: string; readonly to: typeof stateOutlines };

const files = {
  states: { address: statesAddress, member: "states", to: stateOutlines },
  counties: { address: countiesAddress, member: "counties", to: countyOutlines },
} as const satisfies Readonly<Record<string, OutlineFile>>;

const requested = new Set<keyof typeof files>();

/** Loads outlines once. A map without them still shows its points. */
export function loadOutlines(kind: keyof typeof files): void {
  if (requested.has(kind)) return;
  requested.add(kind);
  const { address, member, to } = files[kind];
  load(address, member).then(
    (outlines) => {
      to.value = outlines;
    },
    () => requested.delete(kind),
  );
}
