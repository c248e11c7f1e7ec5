import type { Reply } from "../support/ask.ts";
import type { Case } from "./cases.ts";
import type { Request } from "./requests.ts";
import { type Side, skipTokenKey } from "./side.ts";
import { targetOf } from "./targets.ts";
import { withForeignTokens, withOpenTokens, withoutTokens } from "./tokens.ts";
import { after, varied, withProvisionalIds } from "./worlds.ts";

/** Most pages of a walk that are compared. */
const pages = 6;

/** Headers that differ between any two answers. */
const ownHeaders = new Set(["date", "x-request-id"]);

/** Returns an answer as text, without the headers that always differ. */
const bytesOf = ({ status, headers, text }: Reply): string => {
  const told = Object.entries(headers).filter(([name]) => !ownHeaders.has(name));
  return [status, ...told.map(([name, value]) => `${name}: ${String(value)}`), "", text].join("\n");
};

/** Returns the link to the next page, or to what changes after the last one. */
const nextLinkOf = ({ text, headers }: Reply): string | undefined =>
  /"@odata\.(?:nextLink|deltaLink)":"([^"]+)"/.exec(text)?.[1] ??
  /^<([^>]+)>/.exec(String(headers["link"]))?.[1];

const isDeltaLink = (link: string, { text }: Reply): boolean => text.includes(`"@odata.deltaLink":"${link}"`);

/** Thrown if two answers differ that must be equal. */
class Leak extends Error {
  override readonly name = "Leak";
}

function requireSame(asked: string, a: string, b: string): void {
  if (a !== b) throw new Leak(`${asked}\n\n${a}\n\n${b}`);
}

/** The services that are compared in a case. */
export type Sides = {
  readonly first: Side;
  /** Has a store that the customer `one` cannot tell from the first one. */
  readonly second: Side;
  /** Has the first one's store, and a model that contains only what `one` may see. */
  readonly bare: Side;
};

/**
 * Sends all requests of the case to the services.
 *
 * @throws {Leak} if their answers differ, or if a token of `one` means anything to another customer
 */
export async function compareSides(sides: Sides, given: Case): Promise<void> {
  await fill(sides, given);
  const change = changing(sides, given);
  for (const asked of given.requests) {
    const request = { ...asked, path: withProvisionalIds(asked.path, given.world) };
    await compareWalks(sides, request, given, change);
    if (request.aim === "any" || request.aim === "hidden") await compareModels(sides, request, given);
  }
}

async function fill({ first, second, bare }: Sides, { grants, world, donor, lead }: Case): Promise<void> {
  const checkpoint = Math.max(first.checkpoint(), second.checkpoint());
  await first.advance(checkpoint);
  await second.advance(checkpoint + lead);
  for (const side of [first, second]) side.admit(grants);
  bare.admitBare(grants.one);
  await first.fill(world);
  await second.fill(varied(world, donor, grants.one));
}

/** Changes of the stores during a walk. */
type Changing = {
  /** Changes what `one` may not see in the second store: to another state, and back on the next call. */
  readonly hidden: () => Promise<void>;
  /** Changes what both stores have, so that `one` sees it: to another state, and back on the next call. */
  readonly visible: () => Promise<void>;
};

function changing({ first, second }: Sides, { grants, world, donor, later, change }: Case): Changing {
  let [shown, hidden] = [world, donor];
  return {
    hidden: async () => {
      if (later === null) return;
      hidden = hidden === donor ? later : donor;
      await second.fill(varied(shown, hidden, grants.one));
    },
    visible: async () => {
      shown = shown === world ? after(world, change) : world;
      await first.fill(shown);
      await second.fill(varied(shown, hidden, grants.one));
    },
  };
}

/**
 * Compares the first pages of both stores, and the changes after them. The second store changes after the first page, and both of them before
 * changes are asked for.
 */
async function compareWalks(
  { first, second }: Sides,
  request: Request,
  { grants, lead, later }: Case,
  change: Changing,
): Promise<void> {
  const { method, headers } = request;
  // A token contains the number of commits, and one of changes, or of a walk that tracks them, their times, so opened tokens are compared
  // without. Even their lengths must be equal.
  const isOpened = lead > 0 || later !== null || /track-changes/.test(headers["prefer"] ?? "");
  const shown = (reply: Reply) =>
    withOpenTokens(bytesOf(reply), skipTokenKey, isOpened ? ["skip", "delta"] : ["delta"]);
  let targets = [targetOf(request, grants.one), targetOf(request, grants.one)] as const;
  let isChanged = false;
  for (let page = 1; page <= pages; page++) {
    // A next link is requested by its URL, however the first page was requested.
    const how = page === 1 ? request : { method, headers };
    const [a, b] = await Promise.all([first.ask("one", targets[0], how), second.ask("one", targets[1], how)]);
    requireSame(`${method} ${targets[0]}`, shown(a), shown(b));
    const [link, other] = [nextLinkOf(a), nextLinkOf(b)];
    if (link === undefined || other === undefined) break;
    if (page === 1) {
      await swapToken(first, link);
      await change.hidden();
    }
    if (!isChanged && page < pages && isDeltaLink(link, a)) {
      await change.visible();
      isChanged = true;
    }
    targets = [link, other];
  }
  if (isChanged) await change.visible();
}

/** Checks that another customer's token is answered like a random text. */
async function swapToken(side: Side, link: string): Promise<void> {
  const [stolen, random] = await Promise.all([
    side.ask("other", link),
    side.ask("other", withForeignTokens(link)),
  ]);
  requireSame(link, bytesOf(stolen), bytesOf(random));
}

/** Checks that a field that the caller may not see is answered like one that does not exist. */
async function compareModels(
  { first, bare }: Sides,
  request: Request,
  { grants: { one } }: Case,
): Promise<void> {
  // Skip these if hidden fields decide which rows are visible: without the fields there would be no rows.
  if (["Media", "Lookup"].includes(request.resource) || one.regions.some(({ kind }) => kind !== "national"))
    return;
  const target = targetOf(request, one);
  const [whole, part] = await Promise.all([
    first.ask("one", target, request),
    bare.ask("one", target, request),
  ]);
  requireSame(target, withoutTokens(bytesOf(whole)), withoutTokens(bytesOf(part)));
}
