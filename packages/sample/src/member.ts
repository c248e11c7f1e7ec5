import { firstNames, lastNames } from "./names.ts";
import { type Office, officeOf } from "./office.ts";
import { combine, Random } from "./random.ts";
import type { System } from "./systems.ts";

/** An agent of an office. */
export type SampleMember = {
  readonly system: System;
  readonly number: number;
  readonly seed: number;
  readonly key: string;
  readonly mlsId: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly fullName: string;
  readonly office: Office;
};

export const membersPerOffice = 5;

const random = new Random();

/** Generates member `number` of a system, counted from 0. */
export function memberOf(system: System, number: number): SampleMember {
  const seed = combine(system.seed ^ 0x3e, number);
  random.seed(seed);
  const firstName = random.pick(firstNames);
  const lastName = random.pick(lastNames);
  return {
    system,
    number,
    seed,
    key: `${system.prefix}A${String(100_000 + number)}`,
    mlsId: String(500_000 + number),
    firstName,
    lastName,
    fullName: `${firstName} ${lastName}`,
    office: officeOf(system, Math.floor(number / membersPerOffice)),
  };
}

/** Returns a telephone number that is reserved for fiction. Source: North American Numbering Plan, 555-0100 to 555-0199. */
export function phoneNumber(seed: number): string {
  return `${201 + (seed % 700)}-555-01${String((seed >>> 12) % 100).padStart(2, "0")}`;
}

/** Returns an address on a reserved domain. Source: RFC 2606. */
export function mailAddress(member: SampleMember): string {
  return `agent${member.number}@${member.office.host}`;
}
