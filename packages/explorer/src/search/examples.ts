/** A query to start from. It is offered where the key sees all of `needs`. */
export type ExampleQuery = {
  readonly title: string;
  readonly entitySet: string;
  readonly filter: string;
  readonly orderBy: string;
  readonly needs: readonly string[];
};

/** Queries to start from: each teaches one thing about `$filter`. */
export const exampleQueries: readonly ExampleQuery[] = [
  {
    title: "Active in Austin",
    entitySet: "Property",
    filter: "City eq 'Austin' and StandardStatus eq 'Active'",
    orderBy: "ListPrice desc",
    needs: ["City", "StandardStatus", "ListPrice"],
  },
  {
    title: "Three bedrooms below $400,000",
    entitySet: "Property",
    filter: "BedroomsTotal ge 3 and ListPrice lt 400000 and StandardStatus eq 'Active'",
    orderBy: "ListPrice",
    needs: ["BedroomsTotal", "ListPrice", "StandardStatus"],
  },
  {
    title: "Within 10 km of the Space Needle",
    entitySet: "Property",
    filter: "geo.distance(Coordinates,geography'SRID=4326;POINT(-122.3493 47.6205)') le 10000",
    orderBy: "",
    needs: ["Coordinates"],
  },
  {
    title: "With a wine cooler",
    entitySet: "Property",
    filter: "Appliances/any(a:a eq 'Wine Cooler') and StandardStatus eq 'Active'",
    orderBy: "ListPrice desc",
    needs: ["Appliances", "StandardStatus", "ListPrice"],
  },
  {
    title: "Price cut below the first one",
    entitySet: "Property",
    filter: "ListPrice lt OriginalListPrice mul 0.9",
    orderBy: "ModificationTimestamp desc",
    needs: ["ListPrice", "OriginalListPrice", "ModificationTimestamp"],
  },
  {
    title: "Remarks that mention a view",
    entitySet: "Property",
    filter: "contains(PublicRemarks,'view')",
    orderBy: "",
    needs: ["PublicRemarks"],
  },
  {
    title: "Agents named Ana…",
    entitySet: "Member",
    filter: "startswith(MemberFirstName,'An')",
    orderBy: "",
    needs: ["MemberFirstName"],
  },
  {
    title: "Photos",
    entitySet: "Media",
    filter: "MediaCategory eq 'Photo'",
    orderBy: "",
    needs: ["MediaCategory"],
  },
];
