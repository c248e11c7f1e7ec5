import { takesEffectWithin } from "./takes-effect.ts";

/** Freshness of an answer: cached for at most `takesEffectWithin`, or read now. */
export type Freshness = "recent" | "fresh";

/** Time to live of an answer, in milliseconds since it was requested. */
const life = takesEffectWithin;

/** Maximum number of cached answers. */
const capacity = 10_000;

type Asked<Answer> = { readonly at: number; readonly revision: number; readonly answer: Promise<Answer> };

/** TTL cache of promises by key. Concurrent callers share one promise. A rejected promise is not cached. */
export class TtlCache<Answer> {
  /** In the order in which they were requested. */
  readonly #asked = new Map<string, Asked<Answer>>();
  readonly #now: () => number;
  readonly #revision: () => number;

  /**
   * @param now monotonic clock, in milliseconds
   * @param revision returns a number that grows when answers may have changed: earlier ones are not used any more
   */
  constructor(now: () => number = () => performance.now(), revision: () => number = () => 0) {
    this.#now = now;
    this.#revision = revision;
  }

  get(question: string, ask: () => Promise<Answer>, freshness: Freshness = "recent"): Promise<Answer> {
    const known = this.#asked.get(question);
    const isRecent =
      known !== undefined && this.#now() - known.at < life && known.revision === this.#revision();
    if (isRecent && freshness === "recent") return known.answer;
    return this.#ask(question, ask);
  }

  #ask(question: string, ask: () => Promise<Answer>): Promise<Answer> {
    const at = this.#now();
    const asked = { at, revision: this.#revision(), answer: ask() };
    this.#asked.delete(question);
    this.#asked.set(question, asked);
    this.#forget(at);
    asked.answer.catch(() => {
      if (this.#asked.get(question) === asked) this.#asked.delete(question);
    });
    return asked.answer;
  }

  /** Drops the oldest answers while they are expired or too many. */
  #forget(now: number): void {
    for (const [question, { at }] of this.#asked) {
      if (now - at < life && this.#asked.size <= capacity) return;
      this.#asked.delete(question);
    }
  }
}
