import type { StructuralProperty } from "@cadastre/odata";

/** Groups of fields, in the order in which a record shows them. The first pattern that matches a name decides. */
const groups: readonly (readonly [title: string, pattern: RegExp])[] = [
  ["Local fields", /^[A-Z]{2,4}_/],
  ["Remarks", /Remarks$|^Directions$|^Disclaimer$|^CopyrightNotice$|^(In|Ex)clusions$/],
  ["Buyer’s side", /^(Co)?Buyer/],
  ["Agent, office, team", /^(Co)?List(Agent|Office|Team)|^ListAOR$|Attribution|^Member|^Office/],
  ["Showing", /^Showing|^LockBox|^Occupant|^AccessCode|SignOnProperty|StartShowing/],
  ["Green", /^Green|^PowerProduction|^WalkScore/],
  ["Tax", /^Tax|^ParcelNumber|^AdditionalParcels|^Zoning|^PublicSurvey/],
  ["Association", /^Association/],
  ["Price", /Price|^Concessions|Compensation(Type)?$|^ListingTerms|^BuyerFinancing|^LeaseAmount/],
  [
    "Status and dates",
    /Status|Timestamp$|Date$|^DaysOn|^Cumulative|^SimpleDays|^DaysIn|Contingen|^Possession|^MajorChange/,
  ],
  [
    "Location",
    /Address|^Street|^Unit(Number)?$|^City|^State|^Postal|^County|^Country|^Subdivision|Latitude|Longitude|^Coordinates|^Map|^MLSArea|^CrossStreet|School|^Township|Region$|^Elevation|^Placekey|^UniversalProperty|TimeZone|^CarrierRoute|^DistanceTo/,
  ],
  [
    "Identity",
    /Key$|^Listing(Id|Agreement|Service|URL)|^Originating|^Source|^PropertyType|^PropertySubType|ID$|^MlsStatus/,
  ],
  [
    "Rooms and size",
    /^Bath|^Bed|Room|Area(Total|Source|Units)?$|^Living|^Above|^Below|^Building|^Stor|^Levels|^Entry|^YearBuilt|^MainLevel/,
  ],
  [
    "Lot and land",
    /^Lot|^Wood|^Pasture|^Cultivated|^Range|^Farm|Grazing|Irrigation|^Crops|^Horse|^Vegetation|^Topography/,
  ],
  ["Parking", /Parking|Garage|Carport|^CoveredSpaces/],
  [
    "Income and expenses",
    /Expense|Income|Rent|^CapRate|^Lease|^Leas|^NumberOf|Tenant|Vacancy|^Financial|^Owner|^Existing/,
  ],
  ["Media", /^Photos|^Videos|^VirtualTour|^Documents|^Media|^Image/],
];

const other = "Features and the rest";

/** Returns the group of a field. `$metadata` states none, so its name decides. */
const groupOf = ({ name }: Pick<StructuralProperty, "name">): string =>
  groups.find(([, pattern]) => pattern.test(name))?.[0] ?? other;

const first = [
  "Price",
  "Status and dates",
  "Identity",
  "Location",
  "Rooms and size",
  "Lot and land",
  "Parking",
];
const last = ["Local fields"];

const rank = (title: string): number => {
  const front = first.indexOf(title);
  if (front >= 0) return front;
  return last.includes(title) ? 1000 : 100 + groups.findIndex(([name]) => name === title);
};

/** Returns fields by group: what most people look for comes first. */
export function byGroup<T extends Pick<StructuralProperty, "name">>(
  fields: Iterable<T>,
): readonly (readonly [title: string, fields: readonly T[]])[] {
  const grouped = new Map<string, T[]>();
  for (const field of fields) {
    const title = groupOf(field);
    grouped.set(title, [...(grouped.get(title) ?? []), field]);
  }
  return [...grouped].toSorted(([a], [b]) => rank(a) - rank(b));
}
