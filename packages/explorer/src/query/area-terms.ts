import { filterOf, termsOf } from "./filter-terms.ts";

/** Longitude and latitude in degrees. */
export type LonLat = readonly [longitude: number, latitude: number];

/** An area that a filter restricts places to. */
export type Area =
  | { readonly kind: "rectangle"; readonly southWest: LonLat; readonly northEast: LonLat }
  | { readonly kind: "circle"; readonly center: LonLat; readonly metres: number }
  /** Corners in order; the first one is not repeated. */
  | { readonly kind: "polygon"; readonly corners: readonly LonLat[] };

/** Five digits after the point are a metre. */
const degrees = (value: number): string => String(Number(value.toFixed(5)));

const position = ([longitude, latitude]: LonLat): string => `${degrees(longitude)} ${degrees(latitude)}`;

/** Returns the terms of `$filter` that hold for places inside of an area. Edges of a polygon are great circles. */
function termsOfArea(area: Area): readonly string[] {
  switch (area.kind) {
    case "rectangle": {
      const [west, south] = area.southWest;
      const [east, north] = area.northEast;
      return [
        `Latitude ge ${degrees(south)}`,
        `Latitude le ${degrees(north)}`,
        `Longitude ge ${degrees(west)}`,
        `Longitude le ${degrees(east)}`,
      ];
    }
    case "circle":
      return [
        `geo.distance(Coordinates,geography'SRID=4326;POINT(${position(area.center)})') le ${Math.round(area.metres)}`,
      ];
    case "polygon": {
      const ring = [...area.corners, ...area.corners.slice(0, 1)].map(position).join(",");
      return [`geo.intersects(Coordinates,geography'SRID=4326;POLYGON((${ring}))')`];
    }
  }
}

const number = "(-?\\d+(?:\\.\\d+)?)";
const edge = new RegExp(`^(Latitude|Longitude) (ge|le) ${number}$`, "i");
const circle = new RegExp(
  `^geo\\.distance\\(Coordinates,\\s*geography'SRID=4326;POINT\\s?\\(${number} ${number}\\)'\\) l[et] ${number}$`,
  "i",
);
const polygon = /^geo\.intersects\(Coordinates,\s*geography'SRID=4326;POLYGON\s?\(\(([^()]*)\)\)'\)$/i;

const isAreaTerm = (term: string): boolean => [edge, circle, polygon].some((form) => form.test(term));

/** Replaces the area of a filter. Undefined: the filter has none afterwards. */
export function withArea(filter: string, area: Area | undefined): string {
  const kept = termsOf(filter).filter((term) => !isAreaTerm(term));
  return filterOf([...kept, ...(area === undefined ? [] : termsOfArea(area))]);
}

const edgesOf = (terms: readonly string[]): ReadonlyMap<string, number> =>
  new Map(
    terms.flatMap((term) => {
      const [, name = "", side = "", value = ""] = edge.exec(term) ?? [];
      return name === "" ? [] : [[`${name.toLowerCase()} ${side.toLowerCase()}`, Number(value)] as const];
    }),
  );

const cornersOf = (ring: string): readonly LonLat[] =>
  ring
    .split(",")
    .map((pair) => pair.trim().split(/\s+/).map(Number))
    .map(([longitude = 0, latitude = 0]) => [longitude, latitude] as const)
    .slice(0, -1);

/** Length of a degree of latitude, in metres. */
const metresOfLatitude = 111_195;

/** Returns the corners of a box around an area. */
export function boxOfArea(area: Area): readonly [southWest: LonLat, northEast: LonLat] {
  switch (area.kind) {
    case "rectangle":
      return [area.southWest, area.northEast];
    case "circle": {
      const [longitude, latitude] = area.center;
      const up = area.metres / metresOfLatitude;
      const across = up / Math.max(Math.cos((latitude * Math.PI) / 180), 0.01);
      return [
        [longitude - across, latitude - up],
        [longitude + across, latitude + up],
      ];
    }
    case "polygon": {
      const longitudes = area.corners.map(([longitude]) => longitude);
      const latitudes = area.corners.map(([, latitude]) => latitude);
      return [
        [Math.min(...longitudes), Math.min(...latitudes)],
        [Math.max(...longitudes), Math.max(...latitudes)],
      ];
    }
  }
}

/** Returns the area that the terms of a filter state, to be drawn. Undefined: they state none. */
export function areaOf(filter: string): Area | undefined {
  const terms = termsOf(filter);
  for (const term of terms) {
    const round = circle.exec(term);
    if (round !== null)
      return { kind: "circle", center: [Number(round[1]), Number(round[2])], metres: Number(round[3]) };
    const ring = polygon.exec(term)?.[1];
    if (ring !== undefined) return { kind: "polygon", corners: cornersOf(ring) };
  }
  const edges = edgesOf(terms);
  const [south, north] = [edges.get("latitude ge"), edges.get("latitude le")];
  const [west, east] = [edges.get("longitude ge"), edges.get("longitude le")];
  if (south === undefined || north === undefined || west === undefined || east === undefined)
    return undefined;
  return { kind: "rectangle", southWest: [west, south], northEast: [east, north] };
}
