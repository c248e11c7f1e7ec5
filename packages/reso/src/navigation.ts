import type { ResourceName } from "./dictionary-data.ts";

/** A navigation property of a resource, with the fields that link a record to the records it leads to. */
export type ResourceNavigation = {
  readonly name: string;
  readonly target: ResourceName;
  /** True if it leads to any number of records. */
  readonly collection: boolean;
  /** Field of the resource, and field of the target that has the same value. */
  readonly own: string;
  readonly other: string;
  /** Field of the target that names the resource, where records of several resources have the target's records. */
  readonly resourceField?: string;
  /** Navigation property of the target that leads back. */
  readonly partner?: string;
};

const one = (
  name: string,
  target: ResourceName,
  own: string,
  other: string,
  partner?: string,
): ResourceNavigation => ({
  name,
  target,
  collection: false,
  own,
  other,
  ...(partner === undefined ? {} : { partner }),
});

const media = (own: string): ResourceNavigation => ({
  name: "Media",
  target: "Media",
  collection: true,
  own,
  other: "ResourceRecordKey",
  resourceField: "ResourceName",
});

const agent = (name: string): ResourceNavigation => one(name, "Member", `${name}Key`, "MemberKey");
const office = (name: string): ResourceNavigation => one(name, "Office", `${name}Key`, "OfficeKey");

/** Navigation properties between the resources that a service may serve. Source: RESO Data Dictionary 2.0. */
export const navigations: Partial<Readonly<Record<ResourceName, readonly ResourceNavigation[]>>> = {
  Property: [
    ...["ListAgent", "CoListAgent", "BuyerAgent", "CoBuyerAgent"].map(agent),
    ...["ListOffice", "CoListOffice", "BuyerOffice", "CoBuyerOffice"].map(office),
    media("ListingKey"),
    {
      name: "OpenHouses",
      target: "OpenHouse",
      collection: true,
      own: "ListingKey",
      other: "ListingKey",
      partner: "Listing",
    },
  ],
  Member: [office("Office"), media("MemberKey")],
  Office: [
    office("MainOffice"),
    one("OfficeBroker", "Member", "OfficeBrokerKey", "MemberKey"),
    one("OfficeManager", "Member", "OfficeManagerKey", "MemberKey"),
    media("OfficeKey"),
  ],
  OpenHouse: [
    one("Listing", "Property", "ListingKey", "ListingKey", "OpenHouses"),
    agent("ShowingAgent"),
    media("OpenHouseKey"),
  ],
  Media: [one("ChangedByMember", "Member", "ChangedByMemberKey", "MemberKey")],
};
