import type { EntitySet } from "@cadastre/odata";
import type { ResourceName } from "@cadastre/reso";

/** Names of the texts that `$search` reads, by entity set. */
const searchableTexts: Readonly<Record<ResourceName, readonly string[]>> = {
  Property: [
    "ListingId",
    "UnparsedAddress",
    "City",
    "PostalCode",
    "SubdivisionName",
    "PublicRemarks",
    "ListAgentFullName",
    "ListOfficeName",
  ],
  Media: ["ShortDescription", "LongDescription", "ImageOf"],
  Member: ["MemberFullName", "MemberCity", "JobTitle", "OfficeName"],
  Office: ["OfficeName", "OfficeCity", "OfficeAddress1"],
  OpenHouse: ["OpenHouseRemarks", "ListingId"],
  Lookup: ["LookupName", "LookupValue", "StandardLookupValue"],
};

/** Returns the names of the texts of a set that `$search` reads, of those that the caller may see. */
export const searchableOf = ({ name, type }: EntitySet): readonly string[] =>
  (searchableTexts[name as ResourceName] ?? []).filter((text) => type.properties.has(text));
