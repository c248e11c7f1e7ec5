import type fc from "fast-check";
import type { Reply } from "../support/ask.ts";
import type { Case } from "./cases.ts";
import { targetOf } from "./requests.ts";
import { type Side, skipTokenKey } from "./side.ts";
import { withForeignTokens, withOpenTokens } from "./tokens.ts";
import { varied } from "./worlds.ts";

/** Pages of a walk that are looked at. */
const pages = 4;

/** The headers that differ between any two answers. */
const ownHeaders = new Set(["date", "x-request-id"]);

/** An answer byte for byte, but for what differs between any two. */
const bytesOf = ({ status, headers, text }: Reply): string => {
  const told = Object.entries(headers).filter(([name]) => !ownHeaders.has(name));
  return [status, ...told.map(([name, value]) => `${name}: ${String(value)}`), "", text].join("\n");
};

export const nextLinkOf = ({ text }: Reply): string | undefined =>
  /"@odata\.nextLink":"([^"]+)"/.exec(text)?.[1];

/** Two answers that should be one. */
export class Leak extends Error {
  override readonly name = "Leak";

  constructor(asked: string, a: string, b: string) {
    super(`${asked}\n\n${a}\n\n${b}`);
  }
}

/**
 * Ask two services, whose stores look alike to the customer `one`, everything that the case asks.
 *
 * @throws {Leak} if they answer otherwise than one another, or a token of his means anything to another customer.
 */
export async function compareSides(sides: readonly [Side, Side], given: Case): Promise<void> {
  const { grants, world, donor, lead, later, requests } = given;
  const [first, second] = sides;
  await fillBoth(sides, given);
  // With the key to a token one could read the number of commits in it; without, it must not even show in the length.
  const isAhead = lead > 0 || later !== null;
  const shown = (reply: Reply) => (isAhead ? withOpenTokens(bytesOf(reply), skipTokenKey) : bytesOf(reply));
  let hidden = donor;
  for (const request of requests) {
    const { method, headers } = request;
    let targets: readonly string[] = sides.map(() => targetOf(request, grants.one));
    for (let page = 1; page <= pages; page++) {
      const replies = await Promise.all(
        sides.map((side, i) => side.ask("one", targets[i] ?? "", method, headers)),
      );
      const [a = "", b = ""] = replies.map(shown);
      if (a !== b) throw new Leak(`${method} ${targets.join("\n")}`, a, b);
      targets = replies.flatMap((reply) => nextLinkOf(reply) ?? []);
      const [link] = targets;
      if (link === undefined || page === pages) break;
      if (page === 1) await swapToken(first, link);
      if (page === 1 && later !== null) {
        hidden = hidden === donor ? later : donor;
        await second.fill(varied(world, hidden, grants.one));
      }
    }
  }
}

async function fillBoth(
  [first, second]: readonly [Side, Side],
  { grants, world, donor, lead }: Case,
): Promise<void> {
  const checkpoint = Math.max(first.checkpoint(), second.checkpoint());
  await first.advance(checkpoint);
  await second.advance(checkpoint + lead);
  for (const side of [first, second]) side.admit(grants);
  await first.fill(world);
  await second.fill(varied(world, donor, grants.one));
}

/** To another customer, a token of somebody else's is a random text. */
async function swapToken(side: Side, link: string): Promise<void> {
  const foreign = withForeignTokens(link);
  const [stolen, random] = await Promise.all([side.ask("other", link), side.ask("other", foreign)]);
  if (bytesOf(stolen) !== bytesOf(random)) throw new Leak(link, bytesOf(stolen), bytesOf(random));
}

/** A case as one would write it down: what was granted, what is in the stores, and what was asked. */
const printCase = ({ grants, world, donor, lead, later, requests }: Case): string =>
  JSON.stringify(
    {
      grants: grants.one,
      requests: requests.map((request) => `${request.method} ${targetOf(request, grants.one)}`),
      first: world,
      second: varied(world, donor, grants.one),
      lead,
      ...(later === null ? {} : { later: varied(world, later, grants.one) }),
    },
    null,
    1,
  );

/** What a failed check has found, shrunk. */
export function report({ counterexample, errorInstance, seed, numRuns }: fc.RunDetails<[Case]>): string {
  const [given] = counterexample ?? [];
  return [
    `seed ${seed}, case ${numRuns}: ${String(errorInstance)}`,
    ...(given === undefined ? [] : [printCase(given)]),
  ].join("\n");
}
