import type { Field } from "./field.ts";

/** Smallest and largest value of a number, both included. */
type ValueRange = { readonly least: number; readonly greatest: number };

/** Ranges that the Data Dictionary's definitions imply, in degrees. All other limits are facets. */
const ranges: Readonly<Record<string, ValueRange>> = {
  Latitude: { least: -90, greatest: 90 },
  Longitude: { least: -180, greatest: 180 },
};

/** Returns the range of a field's values, in addition to its type and facets. */
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

/** True if values with too many fractional digits are rounded by default instead of rejected. */
export const isRoundedByDefault = ({ name, type }: Field): boolean =>
  type === "Edm.DateTimeOffset" || roundedDecimals.has(name);
