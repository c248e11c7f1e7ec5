import { deepEqual, equal, ok } from "node:assert/strict";
import type { WritableStore } from "@cadastre/store";
import fc from "fast-check";
import { filtersOf, ordersOf, selectsOf } from "../interference/filters.ts";
import { anyGrants } from "../interference/grants.ts";
import type { Grants, World } from "../interference/projection.ts";
import type { Texts } from "../interference/requests.ts";
import type { Side } from "../interference/side.ts";
import { targetOf } from "../interference/targets.ts";
import { keyOf, type ResourceName, resourceNames } from "../interference/universe.ts";
import { after, changes, worlds } from "../interference/worlds.ts";
import { type Reply, toError } from "../support/ask.ts";

type Row = Readonly<Record<string, unknown>>;
type DeltaPage = Row & {
  readonly value: readonly Row[];
  readonly "@odata.nextLink"?: string;
  readonly "@odata.deltaLink"?: string;
};
type Copy = Map<string, Row>;

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("change" as const), change: changes }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("grant" as const), grants: anyGrants }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("prune" as const) }) },
);

/** Conditions of which most leave some records. */
const sometimes = (filters: fc.Arbitrary<string>) =>
  fc.oneof({ weight: 2, arbitrary: filters.map((filter) => `not (${filter})`) }, filters);

const optionsOf = (resource: ResourceName, more: Readonly<Record<string, fc.Arbitrary<string>>>) =>
  fc
    .record(
      { $select: selectsOf(resource), $orderby: ordersOf(resource), $ignorenulls: fc.constant("true") },
      { requiredKeys: [] },
    )
    .chain((options) => fc.record(more).map((others): Texts => ({ ...options, ...others })));

/** Items of `$expand` whose changes are tracked. Their names of fields are not replaced by those of fields that the caller sees. */
const expansions: Partial<Readonly<Record<ResourceName, readonly string[]>>> = {
  Property: [
    "Media",
    "OpenHouses",
    "ListAgent",
    "OpenHouses,Media",
    "Media($top=1)",
    "Media($orderby=Order desc,MediaKey;$top=2;$count=true)",
    "Media/$count",
    "Media($filter=Order ge 1;$select=MediaKey)",
    "Media/$ref",
    "OpenHouses($orderby=OpenHouseKey desc;$skip=1)",
    "OpenHouses($expand=Listing($expand=Media;$select=ListingKey))",
    "ListAgent($expand=Office),OpenHouses",
    "ListAgent($select=MemberKey;$expand=Office($select=OfficeKey))",
  ],
  Member: ["Office"],
  OpenHouse: ["Listing", "Listing($expand=Media,ListAgent;$select=ListingKey)"],
};

const expandOf = (resource: ResourceName): fc.Arbitrary<string | undefined> => {
  const items = expansions[resource] ?? [];
  return items.length === 0
    ? fc.constant(undefined)
    : fc.option(fc.constantFrom(...items), { nil: undefined });
};

const historiesOf = (resource: ResourceName) =>
  fc.record({
    resource: fc.constant(resource),
    options: fc.oneof(
      { weight: 3, arbitrary: optionsOf(resource, {}) },
      { weight: 2, arbitrary: optionsOf(resource, { $filter: sometimes(filtersOf(resource)) }) },
    ),
    expand: expandOf(resource),
    aim: fc.constantFrom("seen" as const, "partial" as const),
    version: fc.constantFrom("4.0", "4.01"),
    pageSize: fc.integer({ min: 1, max: 4 }),
    grants: anyGrants,
    world: worlds,
    /** Changes between two pages. */
    meanwhile: fc.array(changes, { maxLength: 3 }),
    steps: fc.array(step, { minLength: 1, maxLength: 6 }),
  });

/** Histories of a store and a caller, and what the caller follows of it. */
export const histories = fc.oneof(
  ...(["Property", ...resourceNames] as const).map((resource) => historiesOf(resource)),
);
export type History = typeof histories extends fc.Arbitrary<infer Given> ? Given : never;

/** Size of a page that has all records of a world. */
const wholePage = 100;

/** A client that keeps a copy by delta links, and the service that it asks. */
class Follower {
  copy: Copy = new Map();
  link = "";
  readonly #side: Side;
  readonly #given: History;

  constructor(side: Side, given: History) {
    this.#side = side;
    this.#given = given;
  }

  /** Reads the whole result on one page. */
  async readWhole(target: string): Promise<void> {
    this.copy = new Map();
    await this.#pages(target, quiet, (row) => this.copy.set(this.#keyOf(row), present(row)), wholePage);
  }

  /** Reads the whole result, as the first page is asked for at `target`. */
  async seed(target: string, between: () => Promise<void>): Promise<void> {
    this.copy = new Map();
    await this.#pages(target, between, (row) => this.copy.set(this.#keyOf(row), present(row)));
  }

  /** Applies what has changed. Returns the answer if the link has expired. */
  async follow(
    between: () => Promise<void>,
    onRemoval: OnRemoval = async () => {},
  ): Promise<Reply | undefined> {
    const met = new Set<string>();
    return this.#pages(this.link, between, async (item) => {
      const removal = this.#removalOf(item);
      const key = removal?.key ?? this.#keyOf(item);
      ok(!met.has(key), `${key} comes twice`);
      met.add(key);
      if (removal === undefined) this.copy.set(key, present(item));
      else {
        this.copy.delete(key);
        await onRemoval(key, removal.reason);
      }
    });
  }

  async #pages(
    start: string,
    between: () => Promise<void>,
    onItem: (row: Row) => unknown,
    pageSize = this.#given.pageSize,
  ): Promise<Reply | undefined> {
    const { version } = this.#given;
    const headers = {
      prefer: `maxpagesize=${pageSize},${version === "4.0" ? "odata." : ""}track-changes`,
      "odata-maxversion": version,
    };
    for (let next: string | undefined = start; next !== undefined; ) {
      const reply: Reply = await this.#side.ask("one", next, { headers });
      if (reply.status === 410) return reply;
      equal(reply.status, 200, reply.text.slice(0, 500));
      const applied = reply.headers["preference-applied"];
      equal(String(applied).includes("track-changes"), next === start);
      const page = JSON.parse(reply.text) as DeltaPage;
      ok(page.value.length <= pageSize);
      for (const row of page.value) await onItem(row);
      const [nextLink, deltaLink] = [page["@odata.nextLink"], page["@odata.deltaLink"]];
      equal([nextLink, deltaLink].filter((link) => link !== undefined).length, 1);
      next = nextLink;
      if (deltaLink !== undefined) this.link = deltaLink;
      await between();
    }
    return undefined;
  }

  #keyOf(row: Row): string {
    const key = row[keyOf(this.#given.resource)];
    ok(typeof key === "string");
    return key;
  }

  #removalOf(item: Row): { readonly key: string; readonly reason: unknown } | undefined {
    if (this.#given.version === "4.01") {
      const removed = item["@removed"] as Row | undefined;
      return removed && { key: this.#keyOf(item), reason: removed["reason"] };
    }
    if (!String(item["@odata.context"]).endsWith(`#${this.#given.resource}/$deletedEntity`)) return undefined;
    const [, key = ""] = /\('(.*)'\)$/.exec(String(item["id"])) ?? [];
    return { key: decodeURIComponent(key).replaceAll("''", "'"), reason: item["reason"] };
  }
}

type OnRemoval = (key: string, reason: unknown) => Promise<void>;

/** Nulls are written among changes, and left out of the first pages if they are ignored there. */
const present = (row: Row): Row => withoutNulls(row) as Row;

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([, one]) => one !== null);
  return Object.fromEntries(members.map(([name, one]) => [name, withoutNulls(one)]));
}

const withExpand = (target: string, expand: string | undefined): string =>
  expand === undefined
    ? target
    : `${target}${target.includes("?") ? "&" : "?"}$expand=${encodeURIComponent(expand)}`;

const quiet = async () => {};

/** Follows a history by delta links, and compares the copy with a walk after each step. */
export async function followHistory(
  side: Side,
  store: Pick<WritableStore, "prune">,
  given: History,
): Promise<void> {
  const { resource, options, meanwhile, steps } = given;
  let world: World = given.world;
  let granted: Grants = given.grants;
  const change = async (to: (typeof meanwhile)[number]) => {
    world = after(world, to);
    await side.hold(world);
  };
  const target = () => withExpand(plainTarget(), given.expand);
  const plainTarget = () =>
    targetOf(
      {
        resource,
        options,
        aim: given.aim,
        path: `/reso/odata/${resource}`,
        method: "GET",
        carrier: "address",
        headers: {},
      },
      granted,
    );
  const left = [...meanwhile];
  const between = async () => {
    const to = left.shift();
    if (to !== undefined) await change(to);
  };
  const admit = () => side.admit({ one: granted, other: granted });
  // Some sets, and fields of some types, are not granted at all.
  const isSeen = async () => (await side.ask("one", target())).status === 200;

  await side.hold(world);
  admit();
  if (!(await isSeen())) return;
  const follower = new Follower(side, given);
  await follower.seed(target(), between);
  for (const next of [...steps, undefined]) {
    let mayExpire = false;
    if (next?.do === "change") await change(next.change);
    if (next?.do === "prune") {
      await store.prune(Date.now() + 60_000);
      mayExpire = true;
    }
    if (next?.do === "grant") {
      granted = next.grants;
      mayExpire = true;
      admit();
      if (!(await isSeen())) return;
    }
    left.push(...meanwhile);
    // What changes between the pages comes with the next delta link.
    let expired = left.length === 0 ? undefined : await follower.follow(between);
    if (expired === undefined) {
      left.length = 0;
      expired = await follower.follow(quiet, async (key, reason) => {
        const path = `/reso/odata/${resource}('${encodeURIComponent(key.replaceAll("'", "''"))}')`;
        const { status } = await side.ask("one", path);
        equal(reason, status === 200 ? "changed" : "deleted", key);
      });
    }
    if (expired !== undefined) {
      ok(mayExpire, "a link has expired that had no cause to");
      equal(toError(expired).code, "delta_link_expired");
      const location = String(expired.headers["location"]);
      ok(!/[?&](?:\$|%24)(?:deltatoken|skiptoken|orderby)=/i.test(location), location);
      // The names of fields may be of the scope before.
      await follower.seed(next?.do === "grant" ? target() : location, quiet);
    }
    const fresh = new Follower(side, given);
    await fresh.readWhole(target());
    deepEqual(follower.copy, fresh.copy);
    left.length = 0;
  }
}
