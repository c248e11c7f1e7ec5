import { LruCache } from "@cadastre/odata/lru-cache";
import type { EventPass } from "./event-pass.ts";
import type { EventView } from "./event-view.ts";
import { recordStatesOf, type StateBatch, type StateSources } from "./record-states.ts";

/** Number of passes whose states are kept. */
const keptPasses = 8;

/** Largest number of states of a pass that is kept. */
const keptStates = 5000;

/**
 * States of records, read once for all customers who are granted the same. They follow from what is granted and from two commits, unless a
 * pass compares all records with the events of its customer.
 */
export class SharedStates {
  readonly #sources: StateSources;
  readonly #passes = new LruCache<string, readonly StateBatch[]>(keptPasses);

  constructor(sources: StateSources) {
    this.#sources = sources;
  }

  /** Yields the states that are left to a pass. */
  async *leftTo(pass: EventPass, view: EventView, signal: AbortSignal): AsyncGenerator<StateBatch> {
    const { since, asOf, step, after } = pass;
    if (since === null || step > 0 || after !== null) {
      yield* recordStatesOf(pass, view, this.#sources, signal);
      return;
    }
    const name = JSON.stringify([view.id, since, asOf]);
    const batches: StateBatch[] = [];
    if (this.#passes.has(name)) {
      yield* this.#passes.get(name, () => batches);
      return;
    }
    let count = 0;
    for await (const batch of recordStatesOf(pass, view, this.#sources, signal)) {
      count += batch.states.length;
      if (count <= keptStates) batches.push(batch);
      yield batch;
    }
    if (count <= keptStates) this.#passes.get(name, () => batches);
  }
}
