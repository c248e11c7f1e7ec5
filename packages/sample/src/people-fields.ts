import type { Fills } from "./fill.ts";
import type { Listing } from "./listing.ts";
import { associationOf, memberValues, officeValues, renamed } from "./member-values.ts";

const agents = {
  ListAgent: "listAgent",
  CoListAgent: "coListAgent",
  BuyerAgent: "buyerAgent",
  CoBuyerAgent: "coBuyerAgent",
} as const;

const offices = {
  ListOffice: "listAgent",
  CoListOffice: "coListAgent",
  BuyerOffice: "buyerAgent",
  CoBuyerOffice: "coBuyerAgent",
} as const;

/** Fields of the agents and offices that list and buy. Fields of a role that is not filled are empty. */
export const peopleFields: Fills<Listing> = {
  ...Object.fromEntries([
    ...Object.entries(agents).flatMap(([role, member]) =>
      Object.entries(renamed(memberValues, role, (listing: Listing) => listing[member])),
    ),
    ...Object.entries(offices).flatMap(([role, member]) =>
      Object.entries(renamed(officeValues, role, (listing: Listing) => listing[member]?.office)),
    ),
  ]),
  ListAOR: ({ listAgent }) => associationOf(listAgent.office),
  AttributionContact: ({ listAgent }) => listAgent.fullName,
};

/** Returns a predicate: true if a listing has someone in the role that the field's name starts with. Undefined for other fields. */
export function roleOf(name: string): ((listing: Listing) => boolean) | undefined {
  if (!/^(Co)?Buyer(Agent|Office|Team)|^CoList/.test(name)) return undefined;
  if (name.startsWith("CoBuyer")) return ({ coBuyerAgent }) => coBuyerAgent !== undefined;
  if (name.startsWith("CoList")) return ({ coListAgent }) => coListAgent !== undefined;
  return ({ buyerAgent }) => buyerAgent !== undefined;
}
