import type { Fills } from "./fill.ts";
import { mailAddress, phoneNumber, type SampleMember } from "./member.ts";
import type { Office } from "./office.ts";
import { combine } from "./random.ts";

/** Values of a member by the suffix of the field's name: `FullName` for `ListAgentFullName`. */
export const memberValues: Fills<SampleMember> = {
  Key: ({ key }) => key,
  MlsId: ({ mlsId }) => mlsId,
  FirstName: ({ firstName }) => firstName,
  LastName: ({ lastName }) => lastName,
  FullName: ({ fullName }) => fullName,
  MiddleName: ({ seed }) => String.fromCharCode(65 + (seed % 26)),
  Nickname: ({ firstName }) => firstName.slice(0, 3),
  NamePrefix: ({ seed }) => (seed % 2 === 0 ? "Ms." : "Mr."),
  NameSuffix: ({ seed }) => (seed % 3 === 0 ? "Jr." : "II"),
  Email: mailAddress,
  DirectPhone: ({ seed }) => phoneNumber(combine(seed, 1)),
  MobilePhone: ({ seed }) => phoneNumber(combine(seed, 2)),
  PreferredPhone: ({ seed }) => phoneNumber(combine(seed, 1)),
  OfficePhone: ({ office }) => phoneNumber(office.seed),
  StateLicense: ({ seed, system }) => `${system.states[0]}-${600_000 + (seed % 300_000)}`,
  StateLicenseState: ({ office }) => office.place.state,
  NationalAssociationId: ({ seed }) => String(100_000_000 + (seed % 800_000_000)),
  AOR: ({ office }) => associationOf(office),
  URL: ({ number, office }) => `https://${office.host}/agents/${number}`,
};

/** Values of an office by the suffix of the field's name: `Name` for `ListOfficeName`. */
export const officeValues: Fills<Office> = {
  Key: ({ key }) => key,
  MlsId: ({ mlsId }) => mlsId,
  Name: ({ name }) => name,
  Phone: ({ seed }) => phoneNumber(seed),
  Fax: ({ seed }) => phoneNumber(combine(seed, 3)),
  Email: ({ number, host }) => `office${number}@${host}`,
  URL: ({ host }) => `https://${host}/`,
  AOR: associationOf,
  NationalAssociationId: ({ seed }) => String(100_000_000 + (seed % 800_000_000)),
};

/** Returns the name of the association of REALTORS® of an office's region. */
export function associationOf({ metro }: Office): string {
  return `${metro.name} Association of Realtors`;
}

/** Converts `fills` to another entity, and to field names that start with `prefix`. */
export function renamed<From, To>(
  fills: Fills<From>,
  prefix: string,
  from: (entity: To) => From | undefined,
): Fills<To> {
  return Object.fromEntries(
    Object.entries(fills).map(([ending, fill]) => [
      prefix + ending,
      (entity: To, random: Parameters<typeof fill>[1]) => {
        const found = from(entity);
        return found === undefined ? undefined : fill(found, random);
      },
    ]),
  );
}
