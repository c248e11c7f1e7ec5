/**
 * Names of canonical functions. They distinguish `length('abc')`, a call, from `Items('abc')`, an item addressed by
 * its key.
 *
 * Source: OData 4.01 ABNF, `methodCallExpr` and `boolMethodCallExpr`; Data Aggregation 4.0, `isdefined`.
 */
const canonicalFunctions: ReadonlySet<string> = new Set([
  "cast",
  "ceiling",
  "concat",
  "contains",
  "date",
  "day",
  "endswith",
  "floor",
  "fractionalseconds",
  "geo.distance",
  "geo.intersects",
  "geo.length",
  "hassubsequence",
  "hassubset",
  "hour",
  "indexof",
  "isdefined",
  "isof",
  "length",
  "matchespattern",
  "maxdatetime",
  "mindatetime",
  "minute",
  "month",
  "now",
  "round",
  "second",
  "startswith",
  "substring",
  "time",
  "tolower",
  "totaloffsetminutes",
  "totalseconds",
  "toupper",
  "trim",
  "year",
]);

/** True if `name`, in any letter case, is a canonical function. */
export const isCanonicalFunction = (name: string): boolean => canonicalFunctions.has(name.toLowerCase());
