import type { Response } from "express";
import { describe, expect, test } from "vitest";
import { burst } from "../src/access/rates.ts";
import { createSharedLimits, type UsageTransport } from "../src/access/usage-exchange.ts";
import { usageInDatabase } from "../src/access/usage-in-database.ts";
import type { Caller } from "../src/http/request-context.ts";
import { usageBetweenProcesses } from "../src/processes/usage-between-processes.ts";

const rate = 10;
const caller = { scope: { customer: "a", limits: {} } } as unknown as Caller;
const response = { headersSent: true } as Response;
const share = { customer: "a", weight: 1, queries: 100, scanSeconds: 30 };

type Clock = { now: number };

/** The limits of a process, by a clock of the test. */
function processOf(clock: Clock, transport: UsageTransport) {
  const limits = createSharedLimits({ requestsPerSecond: rate, refusalsPerSecond: 1 }, () => clock.now);
  const messages: string[] = [];
  const log = { warn: () => messages.push("warn"), info: () => messages.push("info") } as never;
  const stop = limits.start([transport], log);
  const isTaken = (take: () => void) => {
    try {
      take();
      return true;
    } catch {
      return false;
    }
  };
  return {
    ...limits,
    stop,
    messages,
    take: () => isTaken(() => limits.rates.takeFor(caller, response)),
    refuse: (address: string) => isTaken(() => limits.rates.takeRefusal(address)),
  };
}

/** A table of reports in memory, in place of the registry's. */
function createTable() {
  const rows = new Map<string, { readonly machine: string; readonly report: string }>();
  const state = { isAway: false };
  return {
    rows,
    state,
    table: {
      exchange: async (own: { readonly process: string; readonly machine: string }, report: string) => {
        if (state.isAway) throw new Error("away");
        rows.set(own.process, { machine: own.machine, report });
        return [...rows]
          .filter(([, { machine }]) => machine !== own.machine)
          .map(([process, row]) => ({ process, report: row.report }));
      },
      remove: async ({ process }: { readonly process: string }) => void rows.delete(process),
    },
  };
}

/** Has a transport exchange more often. */
const often = (transport: UsageTransport): UsageTransport => ({ ...transport, interval: 20 });

/** Waits for two exchanges: one in which a report is sent, and one in which it is applied. */
const exchanged = () => new Promise((resolve) => setTimeout(resolve, 150));

describe.each(["database", "processes"] as const)("limits shared by way of the %s", (way) => {
  function two(clock: Clock) {
    const stored = createTable();
    if (way === "database")
      return {
        stored,
        processes: ["m1", "m2"].map((machine) =>
          processOf(clock, often(usageInDatabase(stored.table, machine))),
        ),
      };
    const ends: ReturnType<typeof usageBetweenProcesses>[] = [];
    for (const number of [0, 1])
      ends.push(
        usageBetweenProcesses((report) => {
          if (!stored.state.isAway) ends[1 - number]?.receive(number, report);
        }),
      );
    return { stored, processes: ends.map((end) => processOf(clock, often(end))) };
  }
  type Process = ReturnType<typeof processOf>;
  const start = (clock: Clock) => {
    const { stored, processes } = two(clock);
    return { stored, processes, first: processes[0] as Process, second: processes[1] as Process };
  };
  const stop = (processes: readonly Process[]) => Promise.all(processes.map((one) => one.stop()));

  test("a client of one process has its full rate, and what it took is missing at the other", async () => {
    const clock = { now: 0 };
    const { processes, first, second } = start(clock);
    let taken = 0;
    while (first.take()) taken += 1;
    expect(taken).toBe(rate * burst);
    await exchanged();
    expect(second.take()).toBe(false);
    clock.now = 1000;
    taken = 0;
    while (first.take()) taken += 1;
    expect(taken).toBe(rate);
    await stop(processes);
  });

  test("in all, only what is taken within one exchange is given too much, and it is missing later", async () => {
    const clock = { now: 0 };
    const { processes, first, second } = start(clock);
    let taken = 0;
    for (const one of processes) while (one.take()) taken += 1;
    // Both gave a whole burst before they knew of each other.
    expect(taken).toBe(2 * rate * burst);
    await exchanged();
    for (let second = 1; second <= 30; second += 1) {
      clock.now = second * 1000;
      for (const one of processes) {
        while (one.take()) taken += 1;
        await exchanged();
      }
      // The bound: burst and rate, and what the other process gave within one exchange.
      expect(taken).toBeLessThanOrEqual(rate * burst + rate * second + rate * burst);
    }
    // After the debt is filled, the rate is that of one process.
    expect(taken).toBeLessThanOrEqual(rate * burst + rate * 30 + rate);
    expect(taken).toBeGreaterThanOrEqual(rate * 30);
    expect([first.take(), second.take()]).toEqual([false, false]);
    await stop(processes);
  });

  test("scans, queries at once and refused keys are shared too", async () => {
    const clock = { now: 0 };
    const { processes, first, second } = start(clock);
    first.queries.charge(share, 31_000);
    first.queries.countWith(() => new Map([["a", 7]]));
    while (first.refuse("192.0.2.1"));
    expect([second.queries.isSpent(share), second.queries.elsewhere("a")]).toEqual([false, 0]);
    await exchanged();
    expect([second.queries.isSpent(share), second.queries.elsewhere("a")]).toEqual([true, 7]);
    expect([second.refuse("192.0.2.1"), second.refuse("192.0.2.2")]).toEqual([false, true]);
    first.queries.countWith(() => new Map());
    await exchanged();
    expect(second.queries.elsewhere("a")).toBe(0);
    await stop(processes);
  });

  test("while nothing arrives each counts for itself", async () => {
    const clock = { now: 0 };
    const { stored, processes, first, second } = start(clock);
    first.queries.countWith(() => new Map([["a", 7]]));
    await exchanged();
    stored.state.isAway = true;
    while (first.take());
    await exchanged();
    expect(second.take()).toBe(true);
    if (way === "database") {
      expect(second.queries.elsewhere("a")).toBe(0);
      expect(second.messages).toEqual(["warn"]);
      stored.state.isAway = false;
      await exchanged();
      // The reports that could not be written are repeated.
      expect(second.take()).toBe(false);
      expect(second.messages).toEqual(["warn", "info"]);
    }
    await stop(processes);
    expect(stored.rows.size).toBe(0);
  });
});
