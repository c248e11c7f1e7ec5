import fc from "fast-check";
import { expect, test } from "vitest";
import { StoreError } from "../src/errors.ts";
import type { ExpectedCost } from "../src/read/expected-cost.ts";
import { type CostClass, type CustomerShare, QueryScheduler, slice } from "../src/read/scheduler.ts";

const shareOf = (customer: string, share: Partial<CustomerShare> = {}): CustomerShare => ({
  customer,
  weight: 1,
  queries: 100,
  scanSeconds: Number.POSITIVE_INFINITY,
  ...share,
});

/** A clock, and queries that take as long by it as they are told. */
class World {
  time = 0;
  readonly turns: QueryScheduler;
  readonly #running: { readonly end: number; readonly settle: () => void }[] = [];
  readonly started: string[] = [];
  readonly done = new Map<string, number>();

  constructor(readers: number, queue = 1000, most?: Readonly<Record<CostClass, number>>) {
    this.turns = new QueryScheduler({ readers, queue, now: () => this.time, ...(most && { most }) });
  }

  /** Adds a query that takes so many milliseconds. */
  async ask(
    share: CustomerShare,
    takes: number,
    shape?: string,
    expected: ExpectedCost = "unknown",
  ): Promise<void> {
    const attempt = (timeout: number) => {
      this.started.push(share.customer);
      return new Promise<void>((resolve, reject) => {
        const isStopped = takes > timeout;
        const settle = () => (isStopped ? reject(new StoreError("query_timeout")) : resolve());
        this.#running.push({ end: this.time + Math.min(takes, timeout), settle });
      });
    };
    await this.turns.run({
      share,
      expected,
      shape,
      background: false,
      timeout: 1e9,
      signal: undefined,
      attempt,
    });
    this.done.set(share.customer, (this.done.get(share.customer) ?? 0) + takes);
  }

  get running(): number {
    return this.#running.length;
  }

  /** Lets the time pass until the next query has ended. False if none runs. */
  async step(): Promise<boolean> {
    await settled();
    const next = this.#running.toSorted((a, b) => a.end - b.end)[0];
    if (next === undefined) return false;
    this.#running.splice(this.#running.indexOf(next), 1);
    this.time = next.end;
    next.settle();
    await settled();
    return true;
  }
}

const settled = () => new Promise<void>((resolve) => void setImmediate(resolve));

test("whatever waits, the readers are used while they can be, scans leave half of them free, and all ends", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 5 }),
      fc.array(
        fc.record({ customer: fc.constantFrom("a", "b", "c"), takes: fc.constantFrom(1, 5, 49, 60, 900) }),
        { maxLength: 40 },
      ),
      async (readers, asked) => {
        const world = new World(readers);
        const all = asked.map(({ customer, takes }, i) => world.ask(shareOf(customer), takes, `shape ${i}`));
        do {
          await settled();
          expect(world.running).toBeLessThanOrEqual(readers);
          if (world.turns.waiting > 0) expect(world.running).toBeGreaterThanOrEqual(Math.ceil(readers / 2));
        } while (await world.step());
        await Promise.all(all);
        expect(world.turns.waiting).toBe(0);
        const scans = asked.filter(({ takes }) => takes > slice).length;
        expect(world.turns.used.page.queries).toBe(asked.length);
        expect(world.turns.used.scan.queries).toBe(scans);
      },
    ),
    { numRuns: 60 },
  );
});

test("customers that always ask get time in proportion to their weights, however long their queries are", async () => {
  const world = new World(2);
  const customers = [
    { share: shareOf("short"), takes: 2 },
    { share: shareOf("long"), takes: 40 },
    { share: shareOf("heavy", { weight: 3 }), takes: 20 },
  ];
  let isOver = false;
  const asking = customers.flatMap(({ share, takes }) =>
    Array.from({ length: 8 }, async () => {
      while (!isOver) await world.ask(share, takes);
    }),
  );
  while (world.time < 20_000) await world.step();
  isOver = true;
  while (await world.step());
  await Promise.all(asking);
  const [short = 0, long = 0, heavy = 0] = customers.map(({ share }) => world.done.get(share.customer));
  for (const ratio of [long / short, heavy / (3 * short)]) {
    expect(ratio).toBeGreaterThan(0.9);
    expect(ratio).toBeLessThan(1.1);
  }
});

test("a light customer waits for one query at the most, while another one has scans waiting", async () => {
  const world = new World(2);
  const heavy = Array.from({ length: 50 }, (_, i) => world.ask(shareOf("heavy"), 2000, `scan ${i}`));
  for (let i = 0; i < 20; i++) await world.step();
  const asked = world.time;
  let answered: number | undefined;
  const light = world.ask(shareOf("light"), 3).then(() => {
    answered = world.time;
  });
  while (answered === undefined) await world.step();
  expect(answered - asked).toBeLessThanOrEqual(slice + 3);
  while (await world.step());
  await Promise.all([...heavy, light]);
});

test("a shape that was a scan is one at once, until it ends soon", async () => {
  const world = new World(2);
  const run = async (takes: number) => {
    const asked = world.ask(shareOf("a"), takes, "shape");
    while (await world.step());
    await asked;
    const { page, scan } = world.turns.used;
    return [page.queries, scan.queries];
  };
  expect(await run(500)).toEqual([1, 1]);
  expect(await run(500)).toEqual([1, 2]);
  expect(await run(5)).toEqual([1, 3]);
  expect(await run(5)).toEqual([2, 3]);
});

test("a customer is refused beyond its own queries, and others beyond the queue only if they wait already", async () => {
  const world = new World(1, 1);
  const limited = shareOf("a", { queries: 2 });
  const asked = [world.ask(limited, 10), world.ask(limited, 10)];
  await expect(world.ask(limited, 10)).rejects.toMatchObject({ code: "too_many_queries" });
  asked.push(world.ask(shareOf("b"), 10));
  await expect(world.ask(shareOf("b"), 10)).rejects.toMatchObject({ code: "store_busy" });
  while (await world.step());
  await Promise.all(asked);
});

test("scans beyond a customer's time in a minute are refused until it has passed", async () => {
  const world = new World(2);
  const share = shareOf("a", { scanSeconds: 1 });
  const scan = async () => {
    const asked = world.ask(share, 700, "shape");
    asked.catch(() => {});
    while (await world.step());
    await asked;
  };
  await scan();
  await scan();
  await expect(scan()).rejects.toMatchObject({ code: "scan_limit_reached" });
  world.time += 60_000;
  await scan();
});

test("a query that no index bounds is a scan at once, and one of a bounded cost never is", async () => {
  const world = new World(2);
  const run = async (takes: number, expected: ExpectedCost, shape?: string) => {
    const asked = world.ask(shareOf("a"), takes, shape, expected);
    while (await world.step());
    await asked;
    const { page, scan } = world.turns.used;
    return [page.queries, scan.queries];
  };
  expect(await run(500, "unbounded")).toEqual([0, 1]);
  expect(await run(500, "bounded")).toEqual([1, 1]);
  expect(await run(500, "unknown")).toEqual([2, 2]);
  // What was quick is no scan the next time, and what was slow is one again.
  expect(await run(5, "unbounded", "shape")).toEqual([2, 3]);
  expect(await run(5, "unbounded", "shape")).toEqual([3, 3]);
  expect(await run(500, "unbounded", "shape")).toEqual([4, 4]);
  expect(await run(500, "unbounded", "shape")).toEqual([4, 5]);
});

test("each class has its own readers and its own queue", async () => {
  const world = new World(4, 2, { page: 3, scan: 1 });
  const ask = (expected: ExpectedCost) => world.ask(shareOf("a"), 40, undefined, expected);
  const scans = [ask("unbounded"), ask("unbounded"), ask("unbounded")];
  await settled();
  expect([world.running, world.turns.waiting]).toEqual([1, 2]);
  await expect(ask("unbounded")).rejects.toMatchObject({ code: "store_busy" });
  const pages = [ask("bounded"), ask("unknown"), ask("bounded"), ask("bounded"), ask("bounded")];
  await settled();
  expect([world.running, world.turns.waiting]).toEqual([4, 4]);
  await expect(ask("bounded")).rejects.toMatchObject({ code: "store_busy" });
  while (await world.step());
  await Promise.all([...scans, ...pages]);
});

test("without scans of its own a customer gets what ends as soon as a page does, and no more", async () => {
  const world = new World(2);
  const share = shareOf("a", { scanSeconds: 0 });
  const run = async (takes: number) => {
    const asked = world.ask(share, takes, undefined, "unbounded");
    asked.catch(() => {});
    while (await world.step());
    await asked;
  };
  await run(slice);
  await expect(run(slice + 1)).rejects.toMatchObject({ code: "scan_limit_reached" });
});
