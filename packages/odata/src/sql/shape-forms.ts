/** Encoding of geographic and geometric shapes in every database: GeoJSON. */
export const shapeForms = {
  "Edm.GeographyPoint": "jsonText",
  "Edm.GeographyLineString": "jsonText",
  "Edm.GeographyPolygon": "jsonText",
  "Edm.GeographyMultiPoint": "jsonText",
  "Edm.GeographyMultiLineString": "jsonText",
  "Edm.GeographyMultiPolygon": "jsonText",
  "Edm.GeographyCollection": "jsonText",
  "Edm.GeometryPoint": "jsonText",
  "Edm.GeometryLineString": "jsonText",
  "Edm.GeometryPolygon": "jsonText",
  "Edm.GeometryMultiPoint": "jsonText",
  "Edm.GeometryMultiLineString": "jsonText",
  "Edm.GeometryMultiPolygon": "jsonText",
  "Edm.GeometryCollection": "jsonText",
} as const;
