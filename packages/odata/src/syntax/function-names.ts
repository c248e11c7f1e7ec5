/**
 * Names that a call may have at the start of an expression although they are no path. They tell
 * `length('abc')`, a call, from `Items('abc')`, an item by its key.
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

/** Whether `name`, in any letter case, is a canonical function. */
export const isCanonicalFunction = (name: string): boolean => canonicalFunctions.has(name.toLowerCase());
