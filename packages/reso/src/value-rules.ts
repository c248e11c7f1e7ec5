import type { Field } from "./field.ts";

/** Least and greatest value of a number, both included. */
export type ValueRange = { readonly least: number; readonly greatest: number };

/** Ranges that the Data Dictionary's definitions imply, in degrees. Facets state every other limit. */
const ranges: Readonly<Record<string, ValueRange>> = {
  Latitude: { least: -90, greatest: 90 },
  Longitude: { least: -180, greatest: 180 },
};

/** The range of a field's values, beside that of its type and facets. */
export const valueRange = ({ name }: Field): ValueRange | undefined => ranges[name];

/** Measurements that feeds often write with more digits than the dictionary allows. */
const roundedDecimals: ReadonlySet<string> = new Set([
  "Latitude",
  "Longitude",
  "AboveGradeFinishedArea",
  "AboveGradeUnfinishedArea",
  "BelowGradeFinishedArea",
  "BelowGradeUnfinishedArea",
  "BuildingAreaTotal",
  "BuildingSquareFeet",
  "CultivatedArea",
  "FoundationArea",
  "GrossLivingAreaAnsi",
  "IrrigationWaterRightsAcres",
  "LeasableArea",
  "LivingArea",
  "LotSizeAcres",
  "LotSizeArea",
  "LotSizeSquareFeet",
  "LotSquareFeet",
  "PastureArea",
  "RangeArea",
  "WoodedArea",
]);

/** True if a value with too many digits right of the point is rounded unless the operator says otherwise; else it is rejected. */
export const isRoundedByDefault = ({ name, type }: Field): boolean =>
  type === "Edm.DateTimeOffset" || roundedDecimals.has(name);
