import { equal, ok } from "node:assert/strict";
import { keyOf, type ResourceName } from "../interference/universe.ts";
import type { Headers, Reply } from "../support/ask.ts";

type Row = Readonly<Record<string, unknown>>;
type DeltaPage = Row & {
  readonly value: readonly Row[];
  readonly "@odata.nextLink"?: string;
  readonly "@odata.deltaLink"?: string;
};
type OnRemoval = (key: string, reason: unknown) => Promise<void>;

/** Asks a service, as one customer. */
export type Ask = (target: string, headers: Headers) => Promise<Reply>;

/** How a client follows a set. */
export type Following = {
  readonly resource: ResourceName;
  readonly version: string;
  readonly pageSize: number;
};

/** A client that keeps a copy of a result by delta links. */
export class DeltaFollower {
  copy = new Map<string, Row>();
  link = "";
  readonly #ask: Ask;
  readonly #given: Following;

  constructor(ask: Ask, given: Following) {
    this.#ask = ask;
    this.#given = given;
  }

  /**
   * Reads the whole result, as the first page is asked for at `target`. Returns false if the customer does not see the set, or a field of
   * the request.
   */
  async seed(target: string, between: () => Promise<void>): Promise<boolean> {
    this.copy = new Map();
    const refused = await this.#pages(target, between, (row) =>
      this.copy.set(this.#keyOf(row), present(row)),
    );
    if (refused !== undefined) ok([400, 404].includes(refused.status), refused.text.slice(0, 500));
    return refused === undefined;
  }

  /** Applies what has changed. Returns the answer if the link has expired. */
  follow(between: () => Promise<void>, onRemoval: OnRemoval): Promise<Reply | undefined> {
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

  /** Returns the first answer if it is not a page. */
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
      const reply: Reply = await this.#ask(next, headers);
      if (reply.status === 410 || (next === start && reply.status !== 200)) return reply;
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

/** Nulls are written among changes, and left out of the first pages if they are ignored there. */
const present = (row: Row): Row => withoutNulls(row) as Row;

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([, one]) => one !== null);
  return Object.fromEntries(members.map(([name, one]) => [name, withoutNulls(one)]));
}
