/** Mutexes by name: work under one name runs one after another, in the order of the calls. */
export class Mutexes {
  /** End of the last work that was added, by name. */
  readonly #last = new Map<string, Promise<unknown>>();

  run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const done = (this.#last.get(name) ?? Promise.resolve()).then(work);
    const ended = done
      .catch(() => {})
      .then(() => {
        if (this.#last.get(name) === ended) this.#last.delete(name);
      });
    this.#last.set(name, ended);
    return done;
  }
}
