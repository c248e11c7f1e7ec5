import type { WritableStore } from "@cadastre/store";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { engines } from "../interference/engines.ts";
import { filtersOf, ordersOf, selectsOf } from "../interference/filters.ts";
import { anyGrants } from "../interference/grants.ts";
import type { Grants, World } from "../interference/projection.ts";
import type { Texts } from "../interference/requests.ts";
import { openSide, type Side } from "../interference/side.ts";
import { targetOf } from "../interference/targets.ts";
import { keyOf, type ResourceName, resourceNames } from "../interference/universe.ts";
import { after, changes, worlds } from "../interference/worlds.ts";
import { type Reply, toError } from "../support/ask.ts";

/** `CASES=1000` runs more cases, `SEED=1` repeats the same ones. */
const { CASES, SEED } = process.env;
const numRuns = Number(CASES ?? 10);
const parameters = SEED === undefined ? { numRuns } : { numRuns, seed: Number(SEED) };

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

const cases = fc.constantFrom("Property" as const, ...resourceNames).chain((resource) =>
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
  }),
);
type Case = typeof cases extends fc.Arbitrary<infer Given> ? Given : never;

/** A client that keeps a copy by delta links, and the service that it asks. */
class Follower {
  copy: Copy = new Map();
  link = "";
  readonly #side: Side;
  readonly #given: Case;

  constructor(side: Side, given: Case) {
    this.#side = side;
    this.#given = given;
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
      expect(met).not.toContain(key);
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
  ): Promise<Reply | undefined> {
    const { version, pageSize } = this.#given;
    const headers = {
      prefer: `maxpagesize=${pageSize},${version === "4.0" ? "odata." : ""}track-changes`,
      "odata-maxversion": version,
    };
    for (let next: string | undefined = start; next !== undefined; ) {
      const reply: Reply = await this.#side.ask("one", next, { headers });
      if (reply.status === 410) return reply;
      expect([reply.status, reply.text.slice(0, 500)]).toEqual([200, expect.any(String)]);
      const applied = reply.headers["preference-applied"];
      expect(String(applied).includes("track-changes")).toBe(next === start);
      const page = JSON.parse(reply.text) as DeltaPage;
      expect(page.value.length).toBeLessThanOrEqual(pageSize);
      for (const row of page.value) await onItem(row);
      const [nextLink, deltaLink] = [page["@odata.nextLink"], page["@odata.deltaLink"]];
      expect([nextLink, deltaLink].filter((link) => link !== undefined)).toHaveLength(1);
      next = nextLink;
      if (deltaLink !== undefined) this.link = deltaLink;
      await between();
    }
    return undefined;
  }

  #keyOf(row: Row): string {
    const key = row[keyOf(this.#given.resource)];
    expect(key).toEqual(expect.any(String));
    return String(key);
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

async function run(side: Side, store: Pick<WritableStore, "prune">, given: Case): Promise<void> {
  const { resource, options, meanwhile, steps } = given;
  let world: World = given.world;
  let granted: Grants = given.grants;
  const change = async (to: (typeof meanwhile)[number]) => {
    world = after(world, to);
    await side.fill(world);
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

  await side.fill(world);
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
    let expired = await follower.follow(between);
    if (expired === undefined) {
      left.length = 0;
      expired = await follower.follow(quiet, async (key, reason) => {
        const path = `/reso/odata/${resource}('${encodeURIComponent(key.replaceAll("'", "''"))}')`;
        const { status } = await side.ask("one", path);
        expect([key, reason]).toEqual([key, status === 200 ? "changed" : "deleted"]);
      });
    }
    if (expired !== undefined) {
      expect(mayExpire).toBe(true);
      expect(toError(expired).code).toBe("delta_link_expired");
      const location = String(expired.headers["location"]);
      expect(location).not.toMatch(/[?&](?:\$|%24)(?:deltatoken|skiptoken|orderby)=/i);
      // The names of fields may be of the scope before.
      await follower.seed(next?.do === "grant" ? target() : location, quiet);
    }
    const fresh = new Follower(side, given);
    await fresh.seed(target(), quiet);
    expect(follower.copy).toEqual(fresh.copy);
    left.length = 0;
  }
}

describe.each(Object.entries(engines).filter(([name]) => name !== "memory"))("over %s", (_, start) => {
  test(
    "the pages of a walk and the changes after it make what a fresh walk finds",
    async () => {
      const engine = await start();
      const store = (await engine.open("followed")) as WritableStore;
      const side = await openSide(store);
      try {
        await fc.assert(
          fc.asyncProperty(cases, (given) => run(side, store, given)),
          parameters,
        );
      } finally {
        await side.stop();
        await store.close();
        await engine.close();
      }
    },
    60_000 + numRuns * 2000,
  );
});
