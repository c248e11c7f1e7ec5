import type { Field, ResourceName } from "@cadastre/reso";
import { hashText, unit } from "./random.ts";
import type { System } from "./systems.ts";

const list = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Fields that are filled in every record. */
const required = list(`
  ListingKey ListingId OriginatingSystemName ModificationTimestamp StandardStatus PropertyType ListPrice MlsStatus
  OriginalEntryTimestamp StatusChangeTimestamp PhotosCount StateOrProvince ListAgentKey ListOfficeKey
  MediaKey ResourceRecordKey ResourceName Order MediaURL MediaCategory Permission MediaModificationTimestamp
  MemberKey MemberFullName MemberStatus OfficeKey OfficeName OfficeStatus OfficeMlsId MemberMlsId
  OpenHouseKey OpenHouseDate OpenHouseStartTime OpenHouseEndTime OpenHouseStatus`);

/** Fields that a system fills in almost all records. */
const usual = list(`
  PropertySubType CountyOrParish City PostalCode UnparsedAddress StreetNumber StreetName StreetSuffix StreetDirPrefix
  UnitNumber Country Latitude PublicRemarks ListingContractDate OnMarketDate OriginalListPrice PendingTimestamp
  PurchaseContractDate CloseDate ClosePrice DaysOnMarket BedroomsTotal BathroomsTotalInteger LivingArea YearBuilt
  LotSizeAcres ListAgentFullName ListOfficeName ListAgentMlsId ListOfficeMlsId PhotosChangeTimestamp
  MajorChangeTimestamp InternetEntireListingDisplayYN BuyerAgentKey BuyerOfficeKey PreviousListPrice
  PriceChangeTimestamp OffMarketDate MediaType ResourceRecordID MemberFirstName MemberLastName MemberEmail OfficePhone
  OfficeCity OfficeStateOrProvince OfficePostalCode MemberType OfficeType OpenHouseType ShowingAgentKey
  LeaseAmount LeaseAmountFrequency BathroomsFull`);

/** Fields that a system fills in many records. Systems differ most in these. */
const common = list(`
  Appliances ArchitecturalStyle AssociationFee AssociationFeeFrequency AssociationFeeIncludes AssociationYN
  AssociationAmenities AssociationName AttachedGarageYN AvailabilityDate Basement BathroomsHalf BuildingAreaTotal
  BuilderName BuyerAgentFullName BuyerAgentMlsId BuyerFinancing BuyerOfficeMlsId BuyerOfficeName CoListAgentKey
  CoListAgentFullName CoListOfficeKey CoListOfficeName CommunityFeatures Concessions ConstructionMaterials Contingency
  Cooling CoolingYN CumulativeDaysOnMarket DirectionFaces Directions Disclosures DocumentsAvailable DocumentsCount
  ElementarySchool Elevation ExpirationDate ExteriorFeatures Fencing FireplaceFeatures FireplacesTotal FireplaceYN
  Flooring FoundationDetails Furnished GarageSpaces GarageYN GreenEnergyEfficient Heating HeatingYN HighSchool
  HighSchoolDistrict InteriorFeatures InternetAddressDisplayYN InternetAutomatedValuationDisplayYN
  InternetConsumerCommentYN LaundryFeatures LeaseTerm Levels ListAgentDirectPhone ListAgentEmail ListAgentFirstName
  ListAgentLastName ListAgentStateLicense ListAOR ListingAgreement ListingService ListingTerms ListOfficePhone
  LivingAreaSource LotFeatures LotSizeDimensions LotSizeSource LotSizeSquareFeet MainLevelBedrooms
  MiddleOrJuniorSchool MLSAreaMajor NewConstructionYN OccupantType OnMarketTimestamp OpenHouseModificationTimestamp
  OriginatingSystemID OriginatingSystemKey OtherStructures Ownership ParcelNumber ParkingFeatures ParkingTotal
  PatioAndPorchFeatures PetsAllowed PoolFeatures PoolPrivateYN Possession PostalCity PrivateRemarks PropertyCondition
  RoadSurfaceType Roof RoomsTotal SecurityFeatures Sewer ShowingInstructions ShowingRequirements SourceSystemKey
  SourceSystemName SpaFeatures SpecialListingConditions Stories StoriesTotal StreetNumberNumeric StructureType
  SubdivisionName SyndicateTo TaxAnnualAmount TaxAssessedValue TaxLegalDescription TaxYear UniversalPropertyId
  Utilities View ViewYN VirtualTourURLUnbranded WaterfrontFeatures WaterfrontYN WaterSource WindowFeatures Zoning
  AccessibilityFeatures CurrentUse MajorChangeType
  ImageHeight ImageWidth ImageOf ShortDescription LongDescription PreferredPhotoYN MediaObjectID
  MemberCity MemberStateOrProvince MemberPostalCode MemberDirectPhone MemberMobilePhone MemberOfficePhone
  MemberStateLicense MemberAOR MemberLanguages MemberDesignation MemberAddress1 OfficeEmail OfficeAddress1 OfficeAOR
  OfficeCountyOrParish OfficeBrokerKey OfficeFax MainOfficeKey OpenHouseRemarks OpenHouseId Refreshments
  OpenHouseAttendedBy AppointmentRequiredYN ShowingAgentFirstName ShowingAgentLastName LivestreamOpenHouseURL`);

/** Fields that no source sends: secrets, and fields that the dictionary reserves for other uses. */
const never = list("MemberPassword AccessCode MemberLoginId MediaHTML");

/** Fields that are filled exactly if another field (the value) is. */
const leaders: Readonly<Record<string, string>> = {
  Longitude: "Latitude",
  Coordinates: "Latitude",
  LivingAreaUnits: "LivingArea",
  BuildingAreaUnits: "BuildingAreaTotal",
  LotSizeArea: "LotSizeAcres",
  LotSizeUnits: "LotSizeAcres",
  TaxYear: "TaxAnnualAmount",
  PreviousListPrice: "PriceChangeTimestamp",
  PurchaseContractDate: "PendingTimestamp",
  ClosePrice: "CloseDate",
  ListOfficeKey: "ListAgentKey",
  BuyerOfficeKey: "BuyerAgentKey",
  CoListOfficeKey: "CoListAgentKey",
  CoBuyerOfficeKey: "CoBuyerAgentKey",
  AssociationFeeFrequency: "AssociationFee",
  ElevationUnits: "Elevation",
  LeaseAmountFrequency: "LeaseAmount",
  ConcessionsAmount: "Concessions",
  ConcessionsComments: "Concessions",
  UniversalPropertySubId: "UniversalPropertyId",
};

/** Returns the measure that a field with its unit or source belongs to; any other name unchanged. */
const measureOf = (name: string): string =>
  name.replace(/^(DistanceTo\w+)Units$/, "$1Numeric").replace(/^(\w+Grade\w+Area)(Units|Source)$/, "$1");

/** Returns the field whose presence decides about `name`; usually `name` itself. */
export const leaderOf = (name: string): string => leaders[name] ?? measureOf(name);

/**
 * Returns the fraction of records in which `system` fills `field`, of those where it is relevant. It is deterministic.
 * Beyond the usual fields systems differ, and each one leaves some fields of the dictionary always empty.
 */
export function fillRate(system: System, resource: ResourceName, field: Field): number {
  const name = leaderOf(field.name);
  const draw = unit(hashText(`${system.id} ${resource} ${name}`));
  if (never.has(name)) return 0;
  if (required.has(name)) return 1;
  if (usual.has(name)) return 0.95 + 0.05 * draw;
  if (name === "Placekey") return 0.84 + 0.14 * draw;
  if (common.has(name)) return draw < 0.04 ? 0 : 0.3 + 0.68 * draw;
  if (field.source !== null) return draw < 0.08 ? 0 : 0.03 + 0.8 * draw * draw;
  return draw < 0.25 ? 0 : 0.6 * ((draw - 0.25) / 0.75) ** 3;
}
