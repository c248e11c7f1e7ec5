import { changeDays, msPerDay, referenceTime, timestampText } from "./calendar.ts";
import type { Fills } from "./fill.ts";
import type { SampleMember } from "./member.ts";
import { membersPerOffice } from "./member.ts";
import { associationOf, memberValues, officeValues, renamed } from "./member-values.ts";
import { officeWords } from "./names.ts";
import type { Office } from "./office.ts";
import { combine, unit } from "./random.ts";
import type { SampleRecord } from "./record.ts";
import { writerOf } from "./writers.ts";

/** Draws the time when a member or an office joined, and the time of the last change. */
function history(seed: number): { readonly enteredAt: number; readonly modifiedAt: number } {
  const modifiedAt = referenceTime - 1 - Math.floor(unit(combine(seed, 8)) * changeDays * msPerDay);
  return { enteredAt: modifiedAt - Math.floor(unit(combine(seed, 9)) * 3650 * msPerDay), modifiedAt };
}

type Dated<Entity> = Entity & { readonly enteredAt: number; readonly modifiedAt: number };

const memberFills: Fills<Dated<SampleMember>> = {
  ...renamed(memberValues, "Member", (member: Dated<SampleMember>) => member),
  ...renamed(officeValues, "Office", ({ office }: Dated<SampleMember>) => office),
  MemberAddress1: ({ office }) => `${100 + (office.seed % 9000)} ${office.metro.name} Parkway`,
  MemberCity: ({ office }) => office.place.city,
  MemberCountyOrParish: ({ office }) => office.place.county,
  MemberStateOrProvince: ({ office }) => office.place.state,
  MemberPostalCode: ({ office }) => office.place.zip,
  MemberCountry: () => "US",
  MemberStatus: ({ seed }) => (seed % 29 === 0 ? "Inactive" : "Active"),
  MemberMlsAccessYN: ({ seed }) => seed % 29 !== 0,
  MemberType: ({ number }) =>
    number % membersPerOffice === 0 ? "Designated REALTOR Participant" : "REALTOR Salesperson",
  MemberIsAssistantTo: () => undefined,
  OriginatingSystemName: ({ system }) => system.name,
  OriginatingSystemID: ({ system }) => system.id,
  OriginatingSystemMemberKey: ({ key }) => key,
  SourceSystemName: ({ system }) => system.name,
  SourceSystemID: ({ system }) => system.id,
  SourceSystemMemberKey: ({ key }) => key,
  OriginalEntryTimestamp: ({ enteredAt }) => timestampText(enteredAt),
  ModificationTimestamp: ({ modifiedAt }) => timestampText(modifiedAt),
};

const officeFills: Fills<Dated<Office>> = {
  ...renamed(officeValues, "Office", (office: Dated<Office>) => office),
  OfficeAddress1: ({ seed, metro }) => `${100 + (seed % 9000)} ${metro.name} Parkway`,
  OfficeCity: ({ place }) => place.city,
  OfficeCountyOrParish: ({ place }) => place.county,
  OfficeStateOrProvince: ({ place }) => place.state,
  OfficePrimaryStateOrProvince: ({ place }) => place.state,
  OfficePostalCode: ({ place }) => place.zip,
  OfficeMailAddress1: ({ number }) => `PO Box ${100 + number}`,
  OfficeMailCity: ({ place }) => place.city,
  OfficeMailCountyOrParish: ({ place }) => place.county,
  OfficeMailStateOrProvince: ({ place }) => place.state,
  OfficeMailCountry: () => "US",
  FranchiseAffiliation: (_, random) => random.pick(officeWords),
  OfficeMailPostalCode: ({ place }) => place.zip,
  OfficeCountry: () => "US",
  OfficeStatus: () => "Active",
  OfficeType: ({ number }) => (number % 4 === 0 ? "Realtor Firm" : "Realtor Office"),
  OfficeBrokerKey: ({ system, number }) => `${system.prefix}A${100_000 + number * membersPerOffice}`,
  OfficeBrokerMlsId: ({ number }) => String(500_000 + number * membersPerOffice),
  OfficeManagerKey: ({ system, number }) => `${system.prefix}A${100_000 + number * membersPerOffice}`,
  OfficeManagerMlsId: ({ number }) => String(500_000 + number * membersPerOffice),
  MainOfficeKey: ({ key }) => key,
  MainOfficeMlsId: ({ mlsId }) => mlsId,
  BillingOfficeKey: ({ key }) => key,
  OfficeAOR: associationOf,
  OriginatingSystemName: ({ system }) => system.name,
  OriginatingSystemID: ({ system }) => system.id,
  OriginatingSystemOfficeKey: ({ key }) => key,
  SourceSystemName: ({ system }) => system.name,
  SourceSystemID: ({ system }) => system.id,
  SourceSystemOfficeKey: ({ key }) => key,
  OriginalEntryTimestamp: ({ enteredAt }) => timestampText(enteredAt),
  ModificationTimestamp: ({ modifiedAt }) => timestampText(modifiedAt),
};

const writeMember = writerOf("Member", memberFills);
const writeOffice = writerOf("Office", officeFills);

export const memberRecord = (member: SampleMember): SampleRecord =>
  writeMember({ ...member, ...history(member.seed) });

export const officeRecord = (office: Office): SampleRecord =>
  writeOffice({ ...office, ...history(office.seed) });
