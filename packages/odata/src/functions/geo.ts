import { boxesAround } from "../geodesy/box.ts";
import { distance, lineLength } from "../geodesy/distance.ts";
import { containsPoint } from "../geodesy/polygon.ts";
import { boxesOfPolygon } from "../geodesy/polygon-box.ts";
import { sql } from "../sql/fragment.ts";
import { defineFunction, type FunctionEntry } from "./define.ts";

/** Returns the distance in metres on the WGS 84 ellipsoid. */
export const geoDistance: FunctionEntry = defineFunction({
  name: "geo.distance",
  source: "OData 4.01 URL Conventions 5.1.1.11.1",
  params: ["Edm.GeographyPoint", "Edm.GeographyPoint"],
  returns: "Edm.Double",
  postgres: ([from, to]) => sql`cadastre_geo_distance(${from}, ${to})`,
  evaluate: ([from, to]) =>
    from.type === "Point" && to.type === "Point" ? distance(from.coordinates, to.coordinates) : null,
  boxes: (centre, metres) => (centre.type === "Point" ? boxesAround(centre.coordinates, metres) : []),
  examples: [
    ["geo.distance(geography'Point(-118.2 34)',geography'Point(-118.2 34)')", 0],
    ["geo.distance(geography'Point(180 -10)',geography'Point(-180 -10)')", 0],
    ["round(geo.distance(geography'Point(0 0)',geography'Point(0 1)'))", 110_574],
    ["round(geo.distance(geography'Point(179.5 0)',geography'Point(-179.5 0)'))", 111_319],
    ["geo.distance(geography'Point(0 91)',geography'Point(0 0)')", null],
    ["geo.distance(geography'Point(0 0)',null)", null],
  ],
});

/** A point on the boundary intersects the polygon. */
export const geoIntersects: FunctionEntry = defineFunction({
  name: "geo.intersects",
  source: "OData 4.01 URL Conventions 5.1.1.11.2",
  params: ["Edm.GeographyPoint", "Edm.GeographyPolygon"],
  returns: "Edm.Boolean",
  postgres: ([point, polygon]) => sql`cadastre_geo_intersects(${point}, ${polygon})`,
  evaluate: ([point, polygon]) =>
    point.type === "Point" && polygon.type === "Polygon"
      ? containsPoint(polygon.coordinates, point.coordinates)
      : null,
  boxes: (polygon) => (polygon.type === "Polygon" ? boxesOfPolygon(polygon.coordinates) : []),
  examples: [
    ["geo.intersects(geography'Point(1 1)',geography'Polygon((0 0,2 0,2 2,0 2,0 0))')", true],
    ["geo.intersects(geography'Point(3 1)',geography'Polygon((0 0,2 0,2 2,0 2,0 0))')", false],
    ["geo.intersects(geography'Point(0 1)',geography'Polygon((0 0,2 0,2 2,0 2,0 0))')", true],
    [
      "geo.intersects(geography'Point(1 1)',geography'Polygon((0 0,3 0,3 3,0 3,0 0),(0.5 0.5,2 0.5,2 2,0.5 2,0.5 0.5))')",
      false,
    ],
    [
      "geo.intersects(geography'Point(180 0)',geography'Polygon((170 -5,-170 -5,-170 5,170 5,170 -5))')",
      true,
    ],
    ["geo.intersects(geography'Point(12 90)',geography'Polygon((0 80,90 80,180 80,-90 80,0 80))')", true],
    ["geo.intersects(geography'Point(45 60.5)',geography'Polygon((0 60,90 60,90 80,0 80,0 60))')", false],
    ["geo.intersects(geography'Point(90 45)',geography'Polygon((0 20,90 20,180 20,-90 20,0 20))')", true],
    ["geo.intersects(geography'Point(-90 45)',geography'Polygon((0 20,90 20,180 20,-90 20,0 20))')", true],
    ["geo.intersects(null,geography'Polygon((0 0,2 0,2 2,0 2,0 0))')", null],
  ],
});

/** Returns the length in metres on the WGS 84 ellipsoid. */
export const geoLength: FunctionEntry = defineFunction({
  name: "geo.length",
  source: "OData 4.01 URL Conventions 5.1.1.11.3",
  params: ["Edm.GeographyLineString"],
  returns: "Edm.Double",
  postgres: ([line]) => sql`cadastre_geo_length(${line})`,
  evaluate: ([line]) => (line.type === "LineString" ? lineLength(line.coordinates) : null),
  examples: [
    ["round(geo.length(geography'LineString(0 0,0 1,0 0)'))", 221_149],
    ["geo.length(geography'LineString(5 5,5 5)')", 0],
    ["geo.length(geography'LineString(0 0,0 91)')", null],
    ["geo.length(null)", null],
  ],
});
