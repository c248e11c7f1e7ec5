import { equal, ok } from "node:assert/strict";
import type { Customer, Side } from "../interference/side.ts";
import { keyOf, resourceNames } from "../interference/universe.ts";
import type { Headers } from "../support/ask.ts";

export type Row = Readonly<Record<string, unknown>>;

/** Resource and key of each number that a service has given. */
export type Numbers = Map<number, string>;

/** A client that keeps a copy of what it sees by events. */
export class Follower {
  copy = new Map<string, Row>();
  last = 0;
  /** Largest number of items of a page that the client prefers; undefined: it leaves that to the service. */
  pageSize: number | undefined;
  readonly #side: Pick<Side, "ask">;
  readonly #numbers: Numbers;
  readonly #customer: Customer;

  constructor(side: Pick<Side, "ask">, numbers: Numbers, customer: Customer) {
    this.#side = side;
    this.#numbers = numbers;
    this.#customer = customer;
  }

  /** Reads all records, after the number of the last event. */
  async seed(between: () => Promise<void>): Promise<void> {
    await this.#events(between, async () => {});
    this.copy = new Map();
    for (const resource of resourceNames)
      await this.#pages(`/reso/odata/${resource}`, between, async (row) => {
        this.copy.set(`${resource} ${String(row[keyOf(resource)])}`, recordOf(row));
      });
  }

  /** Reads the records that have new events. */
  follow(between: () => Promise<void>): Promise<void> {
    return this.#events(between, (event) => this.#read(event));
  }

  /** Reads the record of an event that it was told of, maybe again. */
  async take(event: Row): Promise<void> {
    this.last = Math.max(this.last, this.#met(event));
    await this.#read(event);
  }

  /** Notes the number of an event, and returns it. */
  #met(event: Row): number {
    const number = Number(event["EntityEventSequence"]);
    const of = nameOf(event);
    equal(this.#numbers.get(number) ?? of, of, `number ${number} is that of two records`);
    this.#numbers.set(number, of);
    return number;
  }

  async #read(event: Row): Promise<void> {
    const { status, text } = await this.#side.ask(this.#customer, String(event["ResourceRecordUrl"]));
    ok([200, 404].includes(status), text.slice(0, 500));
    if (status === 404) this.copy.delete(nameOf(event));
    else this.copy.set(nameOf(event), recordOf(JSON.parse(text) as Row));
  }

  #events(between: () => Promise<void>, onEvent: (event: Row) => Promise<void>): Promise<void> {
    const query = `$filter=EntityEventSequence gt ${this.last}&$orderby=EntityEventSequence`;
    return this.#pages(`/reso/odata/EntityEvent?${encodeURI(query)}`, between, async (row) => {
      const number = this.#met(row);
      ok(number > this.last, `${number} comes after ${this.last}`);
      this.last = number;
      await onEvent(row);
    });
  }

  async #pages(
    start: string,
    between: () => Promise<void>,
    onRow: (row: Row) => Promise<void>,
  ): Promise<void> {
    const headers: Headers =
      this.pageSize === undefined ? {} : { prefer: `odata.maxpagesize=${this.pageSize}` };
    for (let next: string | undefined = start; next !== undefined; ) {
      const reply = await this.#side.ask(this.#customer, next, { headers });
      // A set that is not granted is an unknown one.
      if (reply.status === 404) return;
      equal(reply.status, 200, reply.text.slice(0, 500));
      const page = JSON.parse(reply.text) as Row & { value: readonly Row[] };
      for (const row of page.value) await onRow(row);
      next = page["@odata.nextLink"] as string | undefined;
      await between();
    }
  }
}

/** A field without a value is like one that the client does not see. */
const recordOf = (row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).filter(([name, value]) => value !== null && !name.startsWith("@odata.")),
  );

const nameOf = (event: Row): string =>
  `${String(event["ResourceName"])} ${String(event["ResourceRecordKey"])}`;
