import type { Field } from "@cadastre/reso";
import { leaderOf } from "./fill-rates.ts";
import type { Listing } from "./listing.ts";
import { roleOf } from "./people-fields.ts";
import type { PropertyKind } from "./property.ts";

/** True if a field can have a value for a listing. */
export type Relevance = (listing: Listing) => boolean;

const buildings: readonly PropertyKind[] = [
  "house",
  "townhouse",
  "condominium",
  "plex",
  "manufactured",
  "farm",
];
const homes: readonly PropertyKind[] = ["house", "townhouse", "condominium", "manufactured", "farm", "plex"];
const ground: readonly PropertyKind[] = ["land", "farm"];
const income: readonly PropertyKind[] = ["plex", "commercial", "business"];

/** Names of fields that every property has, although a later pattern matches them. */
const always = /^(LotSize|Parcel|Tax)/;

/** Kinds of properties for which a field is relevant, by the field's name; the first match applies. */
const subjects: readonly (readonly [RegExp, readonly PropertyKind[]])[] = [
  [/^BuildingName/, ["condominium", "commercial"]],
  [/^CommonInterest/, homes],
  [
    /^(Mobile|Park(Name|Manager)|BodyType|Make|Model|Serial|Skirt|DOH\d|License\d|NumberOfPads|LandLease)|Manufactured/,
    ["manufactured"],
  ],
  [
    /^(Business|Labor|HoursDays|NumberOf(Full|Part)|SeatingCap|SpecialLicenses|YearEstablished|OwnershipType|AnchorsCo)/,
    ["business", "commercial"],
  ],
  [
    /Expense|^(CapRate|Gross(Income|Scheduled)|NetOperating|IncomeIncludes|Vacancy|TenantPays|OwnerPays|TotalActualRent|UnitsFurnished|NumberOfUnits(Leased|MoMo|Vacant)|FinancialData|Leasable|ExistingLease|UnitTypeType|NumberOfSeparate|RentControl)/,
    income,
  ],
  [
    /^LotFeatures|^Road|^Frontage|^Topography|^DistanceTo|^DevelopmentStatus/,
    ["land", "farm", "house", "commercial", "plex"],
  ],
  [
    /^(Farm|Crops|Pasture|Range|Wooded|Grazing|Cultivated|Horse|Irrigation|Vegetation|Topography|HabitableResidence)|Acres$|Orchard|Hunting|Timber|Barn|Ranch(?!o)|Game(?!Room)|Vineyard|Water(Right|Well)|Surface(Rights)|OilGas/,
    ground,
  ],
  [
    /^(Bed|Bath|MainLevel|RoomType|RoomsTotal|Laundry|Appliances|InteriorF|Fireplace|Furnished|GreenIndoor|Pool(?!Exp)|Spa|Living|AboveGrade|BelowGrade|HomeWarranty|Association|PetsAllowed|RentIncludes|SeniorComm|Gross(Living)|Elementary|Middle|High(School)|WalkScore|GarageY|GarageS|AttachedG|ParkingTotal|Carport|Covered|Pati)|Condo|Lanai|GuestHouse/,
    homes,
  ],
  [
    /^(Basement|Cooling|Heating|Roof|Flooring|FoundationD|ConstructionM|Exterior|Architectural|Building|CommonWalls|DoorFeat|WindowFeat|Security|Stories|Levels|EntryL|YearBuilt|NewConstr|BuilderN|BuilderM|Structure|Electric|PropertyAttached|OtherEquip|Accessib)/,
    [...buildings, "commercial", "business"],
  ],
];

/** Names of fields that only a lease has. */
const leaseOnly =
  /^(AvailableLeaseType|LeaseRenewal|LeaseAssignable|RentIncludes|LeaseTerm|AvailabilityDate|LeaseAmount)/;

/** Names of fields that only a sale has. */
const saleOnly = /^(HomeWarranty|ListingTerms|FhaEligibility|CurrentFinancing|LeaseConsidered)/;

/** Returns the predicate for listings in which `field` can have a value; undefined if it always can. */
export function relevanceOf(field: Field): Relevance | undefined {
  const name = leaderOf(field.name);
  const role = roleOf(name);
  if (role !== undefined) return role;
  if (leaseOnly.test(name)) return ({ campaign }) => campaign.lease;
  if (saleOnly.test(name)) return ({ campaign }) => !campaign.lease;
  if (always.test(name)) return undefined;
  const bare = field.source === null ? name : name.slice(name.indexOf("_") + 1);
  const kinds = subjects.find(([pattern]) => pattern.test(bare))?.[1];
  return kinds === undefined ? undefined : ({ property }) => kinds.includes(property.kind);
}
