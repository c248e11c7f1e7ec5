import type { StructuralProperty } from "@cadastre/odata";
import { dictionaryResource, type ResourceName } from "./dictionary-data.ts";
import type { RecordName } from "./own-resources.ts";

/** Fields that a field's values contain (`reveals`) or may mention (`mayReveal`). */
type Disclosures = Pick<StructuralProperty, "reveals" | "mayReveal">;

const street = [
  "StreetNumber",
  "StreetNumberNumeric",
  "StreetDirPrefix",
  "StreetName",
  "StreetSuffix",
  "StreetSuffixModifier",
  "StreetDirSuffix",
  "StreetAdditionalInfo",
  "UnitNumber",
];
const area = ["City", "PostalCity", "StateOrProvince", "CountyOrParish", "PostalCode", "PostalCodePlus4"];
const point = ["Latitude", "Longitude"];
const parcel = ["ParcelNumber", "UniversalPropertyId", "UniversalPropertySubId"];

/** Fields that identify a home: its address, subdivision and parcel. */
const home = [...street, ...area, "SubdivisionName", "UnparsedAddress", ...parcel];
const ofProperty = (names: readonly string[]): readonly string[] => names.map((name) => `Property/${name}`);

/** A free text about a listing, or a URL, which often contains the address of the home. */
const aboutHome: Disclosures = { mayReveal: home };
/** Like {@link aboutHome}, in a record that belongs to a listing. */
const aboutHomeOfListing: Disclosures = { mayReveal: ofProperty(home) };
const identifiesParcel: Disclosures = { mayReveal: parcel };
const isListingId: Disclosures = { mayReveal: ofProperty(["ListingId"]) };

const agents = ["ListAgent", "CoListAgent", "BuyerAgent", "CoBuyerAgent"];
const offices = ["ListOffice", "CoListOffice", "BuyerOffice", "CoBuyerOffice"];

/** Declares that a full name contains its parts. */
const fullName = (role: string): readonly [string, Disclosures] => [
  `${role}FullName`,
  { reveals: ["NamePrefix", "FirstName", "MiddleName", "LastName", "NameSuffix"].map((part) => role + part) },
];

/** Disclosures by resource and field. Source: the definitions of the RESO Data Dictionary 2.0. */
const declared: Partial<Record<RecordName, Readonly<Record<string, Disclosures>>>> = {
  Property: {
    // Not `reveals`: otherwise a grant could not mask `StreetNumberNumeric` and show the first digits of `StreetNumber`.
    StreetNumber: { mayReveal: ["StreetNumberNumeric"] },
    StreetNumberNumeric: { reveals: ["StreetNumber"] },
    UnparsedAddress: { reveals: [...street, ...area] },
    // Consists of country, county, parcel and part: `urn:reso:upi:2.0:US:48453:011234567:sub:12`.
    UniversalPropertyId: {
      reveals: ["StateOrProvince", "CountyOrParish", "ParcelNumber", "UniversalPropertySubId", "UnitNumber"],
    },
    UniversalPropertySubId: { reveals: ["UnitNumber"] },
    ParcelNumber: { mayReveal: ["UniversalPropertyId"] },
    MapURL: { reveals: [...point, ...street, ...area, "UnparsedAddress"] },
    MapCoordinate: { mayReveal: point },
    PostalCity: { mayReveal: ["City"] },
    City: { mayReveal: ["PostalCity"] },
    CityRegion: { mayReveal: ["City", "PostalCity"] },
    MLSAreaMajor: { mayReveal: [...area, "SubdivisionName"] },
    MLSAreaMinor: { mayReveal: [...area, "SubdivisionName"] },
    StreetAdditionalInfo: { mayReveal: ["UnitNumber"] },
    CrossStreet: { mayReveal: ["StreetName"] },
    AdditionalParcelsDescription: identifiesParcel,
    TaxBlock: identifiesParcel,
    TaxBookNumber: identifiesParcel,
    TaxLot: identifiesParcel,
    TaxMapNumber: identifiesParcel,
    TaxParcelLetter: identifiesParcel,
    TaxTract: identifiesParcel,
    TaxLegalDescription: aboutHome,
    Directions: aboutHome,
    BuildingName: aboutHome,
    LockBoxLocation: aboutHome,
    PublicRemarks: aboutHome,
    PrivateRemarks: aboutHome,
    PrivateOfficeRemarks: aboutHome,
    SyndicationRemarks: aboutHome,
    ShowingInstructions: aboutHome,
    ListingURL: aboutHome,
    VirtualTourURLBranded: aboutHome,
    VirtualTourURLUnbranded: aboutHome,
    ...Object.fromEntries(agents.map(fullName)),
    AttributionContact: {
      mayReveal: ["FullName", "Email", "DirectPhone", "MobilePhone", "OfficePhone", "PreferredPhone"].map(
        (part) => `ListAgent${part}`,
      ),
    },
  },
  Media: {
    ShortDescription: aboutHomeOfListing,
    LongDescription: aboutHomeOfListing,
    MediaHTML: aboutHomeOfListing,
    ResourceRecordID: isListingId,
    OriginatingSystemResourceRecordId: isListingId,
    SourceSystemResourceRecordId: isListingId,
  },
  OpenHouse: { OpenHouseRemarks: aboutHomeOfListing, ListingId: isListingId },
  Member: Object.fromEntries([fullName("Member")]),
  PublicRecord: {
    StreetAddress: {
      reveals: ["UnitNumber", "City", "StateOrProvince", "CountyOrParish", "PostalCode"],
      mayReveal: ofProperty([...street, ...area, "UnparsedAddress"]),
    },
    UnitNumber: { mayReveal: ofProperty(["UnitNumber"]) },
    City: { mayReveal: ofProperty(["City", "PostalCity"]) },
    PostalCode: { mayReveal: ofProperty(["PostalCode"]) },
    Latitude: { mayReveal: ofProperty(["Latitude"]) },
    Longitude: { mayReveal: ofProperty(["Longitude"]) },
    ParcelNumber: { mayReveal: ofProperty(parcel) },
    LegalDescription: { mayReveal: ["ParcelNumber", "UnitNumber", ...ofProperty(parcel)] },
  },
};

/**
 * Disclosures between Member or Office and the fields of Property that repeat them for each role, in both directions: `MemberEmail` may
 * reveal `ListAgentEmail`. Keys are excluded.
 */
function roleDisclosures(resource: ResourceName, roles: readonly string[]): ReadonlyMap<string, Disclosures> {
  const here = new Set(dictionaryResource(resource).fields.map(({ name }) => name));
  const inProperty = dictionaryResource("Property").fields.map(({ name }) => name);
  const pairs = roles.flatMap((role) =>
    inProperty
      .filter((name) => name.startsWith(role) && name !== `${role}Key`)
      .map((name) => [name, resource + name.slice(role.length)] as const)
      .filter(([, own]) => here.has(own)),
  );
  const found = new Map<string, Disclosures>();
  const add = (name: string, other: string) =>
    found.set(name, { mayReveal: [...(found.get(name)?.mayReveal ?? []), other] });
  for (const [name, own] of pairs) {
    add(`Property/${name}`, `${resource}/${own}`);
    add(`${resource}/${own}`, `Property/${name}`);
  }
  return found;
}

const byRole = new Map([...roleDisclosures("Member", agents), ...roleDisclosures("Office", offices)]);

/** Returns the disclosures of a dictionary field. Local fields of originating systems declare their own. */
export function disclosuresOf(resource: RecordName, name: string): Disclosures {
  const own = declared[resource]?.[name];
  const ofRole = byRole.get(`${resource}/${name}`)?.mayReveal ?? [];
  const mayReveal = [...(own?.mayReveal ?? []), ...ofRole];
  return {
    ...(own?.reveals === undefined ? {} : { reveals: own.reveals }),
    ...(mayReveal.length === 0 ? {} : { mayReveal }),
  };
}
