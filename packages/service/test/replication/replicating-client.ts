import { deepEqual, equal, ok } from "node:assert/strict";
import type { Grants } from "../interference/projection.ts";
import type { Customer, Side } from "../interference/side.ts";
import { targetOf } from "../interference/targets.ts";
import { toError } from "../support/ask.ts";
import { type Ask, DeltaFollower } from "./delta-follower.ts";
import { Follower as EventFollower, type Numbers } from "./event-follower.ts";
import type { TrackedResult } from "./histories.ts";

/** Work between two requests. */
export type Between = () => Promise<void>;

export const quiet: Between = async () => {};

/** Size of a page that has all records of a world. */
const wholePage = 100;

/** A customer who keeps a copy of one result by delta links, and one of all records by events. */
export class ReplicatingClient {
  granted: Grants;
  readonly customer: Customer;
  readonly #side: Pick<Side, "ask">;
  readonly #numbers: Numbers;
  readonly #tracked: TrackedResult;
  readonly #ask: Ask;
  readonly #events: EventFollower;
  readonly #delta: DeltaFollower;
  /** False if the customer does not see the set, or a field of the request. */
  #isTracking = false;

  constructor(
    side: Pick<Side, "ask">,
    customer: Customer,
    granted: Grants,
    tracked: TrackedResult,
    numbers: Numbers,
  ) {
    this.granted = granted;
    this.customer = customer;
    this.#side = side;
    this.#numbers = numbers;
    this.#tracked = tracked;
    this.#ask = (target, headers) => side.ask(customer, target, { headers });
    this.#events = new EventFollower(side, numbers, customer);
    this.#delta = new DeltaFollower(this.#ask, tracked);
  }

  async seed(between: Between): Promise<void> {
    this.#isTracking = await this.#delta.seed(this.#target(), between);
    await this.readAgain(between);
  }

  /** Reads all records again, to go on with the events after them. */
  readAgain(between: Between): Promise<void> {
    this.#events.pageSize = wholePage;
    return this.#events.seed(between);
  }

  followEvents(between: Between): Promise<void> {
    this.#events.pageSize = between === quiet ? wholePage : undefined;
    return this.#events.follow(between);
  }

  /** @param cause why the delta link may have expired */
  async followLink(between: Between, cause: "prune" | "grant" | undefined): Promise<void> {
    if (!this.#isTracking) return;
    const { resource } = this.#tracked;
    const expired = await this.#delta.follow(between, async (key, reason) => {
      if (between !== quiet) return;
      const path = `/reso/odata/${resource}('${encodeURIComponent(key.replaceAll("'", "''"))}')`;
      const { status } = await this.#ask(path, {});
      equal(reason, status === 200 ? "changed" : "deleted", key);
    });
    if (expired === undefined) return;
    equal(expired.status, 410, expired.text.slice(0, 500));
    ok(cause !== undefined, "a link has expired that had no cause to");
    equal(toError(expired).code, "delta_link_expired");
    const location = String(expired.headers["location"]);
    ok(!/[?&](?:\$|%24)(?:deltatoken|skiptoken|orderby)=/i.test(location), location);
    // The names of fields may be of the scope before.
    const target = cause === "grant" ? this.#target() : location;
    ok(await this.#delta.seed(target, quiet), "a fresh walk is refused");
  }

  /** Goes on under the grants of now. */
  async takeGrants(): Promise<void> {
    const isSeen = await new DeltaFollower(this.#ask, this.#whole()).seed(this.#target(), quiet);
    this.#isTracking = isSeen && (this.#isTracking || (await this.#delta.seed(this.#target(), quiet)));
  }

  /** Compares the copy of the result with a fresh walk. */
  async compareResult(): Promise<void> {
    if (!this.#isTracking) return;
    const fresh = new DeltaFollower(this.#ask, this.#whole());
    ok(await fresh.seed(this.#target(), quiet), "a walk is refused");
    deepEqual(this.#delta.copy, fresh.copy);
  }

  /** Compares the copy of all records with a fresh seed. */
  async compareRecords(): Promise<void> {
    const fresh = new EventFollower(this.#side, this.#numbers, this.customer);
    fresh.pageSize = wholePage;
    await fresh.seed(quiet);
    deepEqual(this.#events.copy, fresh.copy);
    equal(this.#events.last, fresh.last);
  }

  #whole(): TrackedResult {
    return { ...this.#tracked, pageSize: wholePage };
  }

  #target(): string {
    const { resource, options, aim, expand } = this.#tracked;
    const path = `/reso/odata/${resource}`;
    const request = { resource, options, aim, path, method: "GET", carrier: "address", headers: {} } as const;
    const target = targetOf(request, this.granted);
    if (expand === undefined) return target;
    return `${target}${target.includes("?") ? "&" : "?"}$expand=${encodeURIComponent(expand)}`;
  }
}
