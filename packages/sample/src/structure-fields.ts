import { dateText, msPerDay } from "./calendar.ts";
import type { Fills } from "./fill.ts";
import type { Listing } from "./listing.ts";
import { builders } from "./names.ts";
import type { PropertyKind } from "./property.ts";

const saleTypes: Readonly<Record<PropertyKind, string>> = {
  house: "Residential",
  townhouse: "Residential",
  condominium: "Residential",
  plex: "Residential Income",
  manufactured: "Manufactured In Park",
  land: "Land",
  farm: "Farm",
  commercial: "Commercial Sale",
  business: "Business Opportunity",
};

/** Returns the lookup value of `PropertyType` for a listing. */
function propertyTypeOf({ property, campaign }: Listing): string {
  if (!campaign.lease) return saleTypes[property.kind];
  return property.kind === "commercial" ? "Commercial Lease" : "Residential Lease";
}

const plexes = ["Duplex", "Triplex", "Quadruplex"] as const;
const commercials = ["Office", "Retail", "Warehouse", "Industrial", "Mixed Use"] as const;

function subTypeOf({ property: { kind, units, seed } }: Listing): string {
  switch (kind) {
    case "house":
      return "Single Family Residence";
    case "townhouse":
      return "Townhouse";
    case "condominium":
      return "Condominium";
    case "plex":
      return plexes[units - 2] ?? "Multi Family";
    case "manufactured":
      return "Manufactured Home";
    case "land":
      return "Unimproved Land";
    case "farm":
      return seed % 2 === 0 ? "Farm" : "Ranch";
    case "commercial":
      return commercials[seed % commercials.length] as string;
    case "business":
      return "Business";
  }
}

/** Returns the lookup values of `StructureType` for a listing. */
function structureTypeOf(listing: Listing): string[] {
  const subType = subTypeOf(listing);
  if (plexes.some((plex) => plex === subType) || commercials.some((use) => use === subType)) return [subType];
  return listing.property.kind === "townhouse" ? ["Townhouse"] : ["House"];
}

const levels = ["One", "Two", "Three Or More"] as const;

const squareFeetPerAcre = 43_560;

const undefinedIfZero = (n: number): number | undefined => (n > 0 ? n : undefined);

/** Returns the annual tax, to the cent. */
const annualTaxOf = ({ property }: Listing): number => Math.round(property.value * 0.0165 * 100) / 100;

/** Fields of the building and the lot, most of them computed from the listing's property. */
export const structureFields: Fills<Listing> = {
  PropertyType: propertyTypeOf,
  PropertySubType: subTypeOf,
  StructureType: structureTypeOf,
  BedroomsTotal: ({ property }) => property.bedrooms,
  BedroomsPossible: ({ property }) => property.bedrooms + (property.seed % 2),
  MainLevelBedrooms: ({ property }) => Math.min(property.bedrooms, 1 + (property.seed % 3)),
  BathroomsFull: ({ property }) => property.bathroomsFull,
  BathroomsHalf: ({ property }) => property.bathroomsHalf,
  BathroomsTotalInteger: ({ property }) => property.bathroomsFull + property.bathroomsHalf,
  BathroomsOneQuarter: () => 0,
  BathroomsThreeQuarter: ({ property }) => (property.seed % 5 === 0 ? 1 : 0),
  BathroomsPartial: ({ property }) => property.bathroomsHalf,
  MainLevelBathrooms: ({ property }) => Math.min(property.bathroomsFull, 2),
  RoomsTotal: ({ property }) => property.bedrooms + 3 + (property.seed % 3),
  LivingArea: ({ property }) => property.area,
  LivingAreaUnits: () => "Square Feet",
  GrossLivingAreaAnsi: ({ property }) => property.area,
  AboveGradeFinishedArea: ({ property }) => property.area,
  BuildingAreaTotal: ({ property }) => undefinedIfZero(Math.round(property.area * 1.06)),
  BuildingAreaUnits: () => "Square Feet",
  LotSizeAcres: ({ property }) => property.acres,
  LotSizeArea: ({ property }) => property.acres,
  LotSizeUnits: () => "Acres",
  LotSizeSquareFeet: ({ property }) => Math.round(property.acres * squareFeetPerAcre),
  LotSizeDimensions: ({ property }) => {
    const front = 40 + (property.seed % 60);
    return `${front} x ${Math.round((property.acres * squareFeetPerAcre) / front)}`;
  },
  YearBuilt: ({ property }) => property.yearBuilt,
  YearBuiltEffective: ({ property }) => Math.min(2026, property.yearBuilt + (property.seed % 12)),
  NewConstructionYN: ({ property }) => property.yearBuilt >= 2025,
  PropertyCondition: ({ property }, random) => [
    property.yearBuilt >= 2025 ? "New Construction" : random.pick(["Updated/Remodeled", "Fixer"]),
  ],
  BuilderName: ({ property }, random) => (property.yearBuilt >= 2015 ? random.pick(builders) : undefined),
  Stories: ({ property }) => property.stories,
  StoriesTotal: ({ property }) => property.stories,
  Levels: ({ property }) => [levels[Math.min(property.stories, 3) - 1] as string],
  GarageSpaces: ({ property }) => undefinedIfZero(property.garageSpaces),
  GarageYN: ({ property }) => property.garageSpaces > 0,
  AttachedGarageYN: ({ property }) => property.garageSpaces > 0 && property.seed % 4 !== 0,
  ParkingTotal: ({ property }) => property.garageSpaces + 1 + (property.seed % 2),
  PoolPrivateYN: ({ property }) => property.pool,
  PoolFeatures: ({ property }, random) =>
    property.pool
      ? [random.pick(["Gunite", "In Ground", "Heated", "Salt Water", "Screen Enclosure"])]
      : undefined,
  WaterfrontYN: ({ property }) => property.waterfront,
  WaterfrontFeatures: ({ property }, random) =>
    property.waterfront
      ? [random.pick(["Beach Access", "Lake Front", "River Front", "Waterfront"])]
      : undefined,
  WaterBodyName: ({ property }) => (property.waterfront ? "Clear Lake" : undefined),
  CoolingYN: () => true,
  HeatingYN: () => true,
  FireplacesTotal: ({ property }) => undefinedIfZero(property.seed % 3),
  FireplaceYN: ({ property }) => property.seed % 3 > 0,
  FireplaceFeatures: ({ property }, random) =>
    property.seed % 3 === 0 ? undefined : [random.pick(["Gas", "Living Room", "Wood Burning", "Electric"])],
  NumberOfUnitsTotal: ({ property }) => property.units,
  TaxAnnualAmount: annualTaxOf,
  TaxAssessedValue: ({ property }) => Math.round(property.value * 0.86),
  TaxYear: () => 2025,
  TaxAnnualAmountPerSquareFoot: (listing) =>
    listing.property.area === 0
      ? undefined
      : Math.round((annualTaxOf(listing) / listing.property.area) * 100) / 100,
  TaxAnnualAmountPerLivingAreaUnit: (listing) =>
    listing.property.area === 0
      ? undefined
      : Math.round((annualTaxOf(listing) / listing.property.area) * 100) / 100,
  AssociationYN: ({ property }) => property.kind === "condominium" || property.seed % 2 === 0,
  AssociationFee: ({ property }, random) =>
    property.kind === "condominium" || property.seed % 2 === 0 ? random.int(8, 180) * 5 : undefined,
  AssociationFeeFrequency: ({ property }, random) =>
    property.kind === "condominium" || property.seed % 2 === 0
      ? random.pickEarly(["Monthly", "Annually", "Quarterly"])
      : undefined,
  SpecialListingConditions: (_, random) => [
    random.chance(0.9) ? "Standard" : random.pick(["Auction", "Short Sale", "Trust", "Real Estate Owned"]),
  ],
  OccupantType: ({ campaign }, random) =>
    random.pickEarly(campaign.lease ? ["Tenant", "Vacant"] : ["Owner", "Vacant", "Tenant"]),
  ElevationUnits: () => "Feet",
  LeaseExpiration: ({ campaign }, random) =>
    campaign.lease
      ? undefined
      : dateText(Math.floor(campaign.statusChangedAt / msPerDay) + random.int(30, 400)),
};
