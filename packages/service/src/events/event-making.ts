import { setTimeout as pause } from "node:timers/promises";
import { type Store, StoreError } from "@cadastre/store";
import { type CommitTimes, commitOf } from "@cadastre/store/changes";
import type { EventLog, EventLogs, EventProgress, RecordState } from "@cadastre/store/registry";
import { type EventPass, fullPass, nextPass, progressIn } from "./event-pass.ts";
import type { EventView } from "./event-view.ts";
import { recordStatesOf, type StateSources } from "./record-states.ts";

/** Services that events are made with. */
export type EventMakingServices = Pick<StateSources, "changes"> & {
  readonly store: CommitTimes & Pick<Store, "page" | "checkpoint">;
  readonly logs: EventLogs;
  /** Version of the catalog that the store was opened with. */
  readonly catalogVersion: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
};

/** Number of states that are written at once. */
const statesOfWrite = 1000;

/** Longest time between two writes of the progress, in milliseconds. */
const writeInterval = 5000;

/** Number of attempts to make events whose history is deleted meanwhile, or that another process makes. */
const attempts = 5;

/** Pause after another process has written, in milliseconds. */
const pauseAfterOther = 50;

/**
 * Numbers that a millisecond may have. The first number that a call gives is at least the time times this, so that no number is given twice
 * even if the database is restored from a backup, or a customer is removed and comes back. Numbers stay below 2^53 until the year 2255.
 */
const numbersOfMillisecond = 1000;

/**
 * Makes the events of a customer, up to the last commit. Does nothing under an entitlement or a catalog that is not in force any more.
 *
 * @throws {StoreError}
 */
export async function makeEvents(
  view: EventView,
  services: EventMakingServices,
  signal: AbortSignal,
): Promise<void> {
  const floor = services.now() * numbersOfMillisecond;
  let isHistoryLost = false;
  for (let left = attempts; left > 0; left--) {
    const log = await services.logs.find(view.scope.customer);
    if (log !== undefined && log.catalogVersion > services.catalogVersion) return;
    const writer = new EventWriter(view, services, log, floor);
    try {
      if (await follow(writer, view, services, isHistoryLost, signal)) return;
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== "bookmark_expired") throw error;
      isHistoryLost = true;
      continue;
    }
    await pause(pauseAfterOther, undefined, { signal });
  }
}

/** Makes the events of all passes up to the last commit. Returns false if another process has written. */
async function follow(
  writer: EventWriter,
  view: EventView,
  services: EventMakingServices,
  isHistoryLost: boolean,
  signal: AbortSignal,
): Promise<boolean> {
  const { store } = services;
  const last = await commitOf(await store.checkpoint(), store);
  let pass = isHistoryLost ? fullPass(last) : await nextPass(writer.log, view.id, last, store);
  while (pass !== undefined) {
    for await (const batch of recordStatesOf(pass, view, services, signal))
      if (!(await writer.add(batch.states, batch.pass))) return false;
    if (!(await writer.end(pass))) return false;
    pass = await nextPass(writer.progress, view.id, last, store);
  }
  return writer.close();
}

/** Writes the states of passes. Those of a pass are written together, as far as they are few. */
class EventWriter {
  readonly log: EventLog | undefined;
  /** Progress including what is not yet written. */
  progress: EventProgress;
  readonly #services: Pick<EventMakingServices, "logs">;
  readonly #view: EventView;
  readonly #floor: number;
  #revision: number | null;
  #states: RecordState[] = [];
  #isWritten = true;
  #written = performance.now();

  constructor(
    view: EventView,
    services: Pick<EventMakingServices, "logs" | "catalogVersion">,
    log: EventLog | undefined,
    floor: number,
  ) {
    const { catalogVersion } = services;
    this.log = log;
    this.progress = { until: log?.until ?? null, viewId: view.id, catalogVersion, pass: null };
    this.#services = services;
    this.#view = view;
    this.#floor = floor;
    this.#revision = log?.revision ?? null;
  }

  /** Adds states, and the position of the pass after them. Returns false if another process has written. */
  async add(states: readonly RecordState[], pass: EventPass): Promise<boolean> {
    this.#states.push(...states);
    this.#proceed(progressIn(this.progress, pass));
    return this.#states.length < statesOfWrite && !this.#isDue() ? true : this.#write();
  }

  /** Ends a pass. The next one may have other states of the same records. */
  async end({ asOf }: EventPass): Promise<boolean> {
    this.#proceed(progressIn({ ...this.progress, until: asOf }, null));
    return this.#states.length > 0 || this.#isDue() ? this.#write() : true;
  }

  /** Writes the progress that was not worth a write before. */
  close(): Promise<boolean> {
    return this.#isWritten ? Promise.resolve(true) : this.#write();
  }

  #proceed(progress: EventProgress): void {
    this.progress = progress;
    this.#isWritten = false;
  }

  #isDue(): boolean {
    return performance.now() - this.#written > writeInterval;
  }

  async #write(): Promise<boolean> {
    const { customer, version } = this.#view.scope;
    const count = await this.#services.logs.append(customer, {
      entitlementVersion: version,
      revision: this.#revision,
      states: this.#states,
      floor: this.#floor,
      progress: this.progress,
    });
    if (count === undefined) return false;
    this.#revision = (this.#revision ?? 0) + 1;
    this.#states = [];
    this.#isWritten = true;
    this.#written = performance.now();
    return true;
  }
}
