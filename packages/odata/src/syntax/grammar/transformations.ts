/** Form of a transformation's arguments. */
type Form =
  | "aggregate"
  | "nothing"
  | "expression"
  | "pair"
  | "search"
  | "orderBy"
  | "compute"
  | "sequences"
  | "grouping"
  | "nested"
  | "added"
  | "joined"
  | "hierarchy"
  | "traversal"
  | "parameters";

/** Source: OData Extension for Data Aggregation 4.0, 3.2 to 3.4 and 6.2. */
const forms: Readonly<Record<string, Form>> = {
  aggregate: "aggregate",
  identity: "nothing",
  filter: "expression",
  search: "search",
  top: "expression",
  skip: "expression",
  orderby: "orderBy",
  compute: "compute",
  concat: "sequences",
  groupby: "grouping",
  topcount: "pair",
  topsum: "pair",
  toppercent: "pair",
  bottomcount: "pair",
  bottomsum: "pair",
  bottompercent: "pair",
  nest: "nested",
  addnested: "added",
  join: "joined",
  outerjoin: "joined",
  ancestors: "hierarchy",
  descendants: "hierarchy",
  traverse: "traversal",
};

/** Returns the form of the transformation `name`. A name with a dot is a custom transformation. */
export const transformationForm = (name: string): Form | undefined =>
  Object.hasOwn(forms, name.toLowerCase())
    ? forms[name.toLowerCase()]
    : name.includes(".")
      ? "parameters"
      : undefined;
