const conjunction = (parts: readonly string[]): string => parts.join(" and ");
const disjunction = (parts: readonly string[]): string => parts.join(" or ");
const times = <T>(count: number, make: (index: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, index) => make(index));

const cities = [
  "Portland",
  "Salem",
  "Eugene",
  "Gresham",
  "Hillsboro",
  "Beaverton",
  "Bend",
  "Medford",
  "Springfield",
];
const moreCities = [...cities, "Corvallis", "Albany", "Tigard"];
const listingKeys = times(200, (i) => `'OR${(1_000_000 + i * 7919) % 9_999_991}-P'`).join(",");

/** A ring of `corners` positions about Los Angeles. */
function ring(corners: number): string {
  const positions = times(corners, (i) => {
    const angle = (2 * Math.PI * i) / corners;
    const longitude = (-118.25 + 0.2 * Math.cos(angle)).toFixed(6);
    return `${longitude} ${(34.05 + 0.2 * Math.sin(angle)).toFixed(6)}`;
  });
  return [...positions, positions[0]].join(",");
}

/** Filters as clients of property listings send them, from one comparison to chains of sixty. */
export const corpus: Readonly<Record<string, string>> = {
  "one comparison": "ListPrice gt 100000",
  "one text": "StandardStatus eq 'Active'",
  "two and": "StandardStatus eq 'Active' and ListPrice ge 250000 and ListPrice le 750000",
  "replication by time": "ModificationTimestamp gt 2024-01-15T08:30:00.123Z",
  "replication by time and key":
    "ModificationTimestamp gt 2024-01-15T08:30:00Z or (ModificationTimestamp eq 2024-01-15T08:30:00Z and ListingKey gt 'OR1234567-P')",
  "search of ten terms": conjunction([
    "StandardStatus eq 'Active'",
    "PropertyType eq 'Residential'",
    "ListPrice ge 300000",
    "ListPrice le 900000",
    "BedroomsTotal ge 3",
    "BathroomsTotalInteger ge 2",
    "LivingArea ge 1500",
    "YearBuilt ge 1990",
    "City eq 'Portland'",
    "PhotosCount gt 0",
  ]),
  "12 cities": disjunction(moreCities.map((city) => `City eq '${city}'`)),
  "60 keys": disjunction(times(60, (i) => `ListingKey eq 'OR${1_000_000 + i * 37}'`)),
  "40 fields": conjunction(times(40, (i) => `Field${i} ge ${i * 100}`)),
  "list of 5": "StandardStatus in ('Active','Pending','Closed','Canceled','Expired')",
  "list of 200": `ListingKey in (${listingKeys})`,
  "call in call": "contains(tolower(PublicRemarks),'mountain view')",
  "two calls":
    "startswith(PostalCode,'972') and endswith(UnparsedAddress,'Ave') and StandardStatus eq 'Active'",
  "parts of a date": "year(CloseDate) eq 2023 and month(CloseDate) ge 6 and day(CloseDate) le 15",
  "two dates": "CloseDate ge 2023-01-01 and CloseDate lt 2024-01-01 and StandardStatus eq 'Closed'",
  "any of texts": "Appliances/any(a:a eq 'Dishwasher')",
  "any of rooms":
    "Rooms/any(r:r/RoomType eq 'Bedroom' and r/RoomLength gt 12) and StandardStatus eq 'Active'",
  "any and all":
    "OpenHouse/any(o:o/OpenHouseDate ge 2024-06-01 and o/OpenHouseStatus eq 'Active') and Media/all(m:m/MediaCategory eq 'Photo')",
  "two members": conjunction([
    "AccessibilityFeatures has org.reso.metadata.enums.AccessibilityFeatures'AccessibleApproachWithRamp'",
    "StandardStatus has org.reso.metadata.enums.StandardStatus'Active'",
  ]),
  distance: "geo.distance(Coordinates,geography'SRID=4326;Point(-118.2437 34.0522)') lt 5000",
  "polygon of 40": `geo.intersects(Coordinates,geography'SRID=4326;Polygon((${ring(40)}))')`,
  "nested parentheses":
    "((((StandardStatus eq 'Active') or (StandardStatus eq 'Pending')) and ((ListPrice gt 100000) and (ListPrice lt 500000))) or (((City eq 'Bend') and (BedroomsTotal ge 4)) or ((City eq 'Salem') and (BedroomsTotal ge 5))))",
  "not and null": "not (StandardStatus eq 'Closed') and CloseDate eq null and ClosePrice ne null",
  arithmetic: "ListPrice div LivingArea lt 350 and TaxAnnualAmount add AssociationFee mul 12 le 20000",
  "paths and calls":
    "ListOffice/OfficeName eq 'O''Neil Realty' and length(trim(ListAgent/MemberFullName)) gt 5 and indexof(City,'land') ge 0",
  "12 parentheses": `${"(".repeat(12)}ListPrice gt 1${")".repeat(12)}`,
  "15 pairs": disjunction(times(15, (i) => `(City eq 'C${i}' and ListPrice gt ${i * 1000})`)),
  "time minus a day": "ModificationTimestamp gt now() sub duration'P1D'",
};
