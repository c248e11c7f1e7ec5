/** Topics that fields are described by, in order. The first pattern that matches a name decides. */
const topics: readonly (readonly [topic: string, pattern: RegExp])[] = [
  ["local", /^[A-Z]{2,4}_/],
  ["remarks", /Remarks$|^Directions$|clusions$/],
  ["people", /^(?:Co)?(?:Buyer|List)(?:Agent|Office|Team|er)|^Member|^Office|^Owner|^Occupant/],
  ["showing", /^Showing|^LockBox|^AccessCode/],
  ["tax", /^Tax|Parcel|^Zoning|^Association/],
  ["price", /Price|Concessions|Compensation|Terms|Financing|Amount|Expense|Income|Rent|^CapRate/],
  ["status", /Status|Timestamp$|Date$|^Days|Days|^Possession|^MajorChange/],
  [
    "location",
    /Address|^Street|^Unit|^City|^State|^Postal|^County|^Country|^Subdivision|tude$|^Coordinates|^Map|^MLSArea|School|^Township|Region|Placekey|^UniversalProperty/,
  ],
  ["identity", /Key$|Id$|ID$|^Originating|^Source|^Property(?:Sub)?Type/],
  ["rooms", /Bath|Bed|Room|Area|^Living|^Building|^Stor|^Levels|^YearBuilt|Basement/],
  ["lot", /^Lot|Acre|Pasture|Farm|Crops|Horse|Water|View|Vegetation|Topography|Fencing/],
  ["parking", /Parking|Garage|Carport|^CoveredSpaces/],
  ["media", /^Photos|^Videos|^VirtualTour|^Documents|^Media|^Image|URL/],
  ["green", /^Green|^Power|Solar|^WalkScore/],
];

const otherTopic = "features";

/** Names of the topics, in order. */
export const topicNames: readonly string[] = [...topics.map(([topic]) => topic), otherTopic];

/** Returns the topic of a field. */
export const topicOf = (name: string): string =>
  topics.find(([, pattern]) => pattern.test(name))?.[0] ?? otherTopic;
