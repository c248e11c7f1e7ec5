import { takesEffectWithin } from "./takes-effect.ts";

/** Freshness of an answer: cached for at most `takesEffectWithin`, or read now. */
export type Freshness = "recent" | "fresh";

/** Time to live of an answer, in milliseconds since it was requested. */
const timeToLive = takesEffectWithin;

/** Maximum number of cached answers. */
const capacity = 10_000;

type CachedAnswer<Answer> = {
  readonly at: number;
  readonly revision: number;
  readonly answer: Promise<Answer>;
};

/** TTL cache of promises by key. Concurrent callers share one promise. A rejected promise is not cached. */
export class TtlCache<Answer> {
  /** In the order in which they were requested. */
  readonly #answers = new Map<string, CachedAnswer<Answer>>();
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
    const known = this.#answers.get(question);
    const isRecent =
      known !== undefined && this.#now() - known.at < timeToLive && known.revision === this.#revision();
    if (isRecent && freshness === "recent") return known.answer;
    return this.#ask(question, ask);
  }

  #ask(question: string, ask: () => Promise<Answer>): Promise<Answer> {
    const at = this.#now();
    const asked = { at, revision: this.#revision(), answer: ask() };
    this.#answers.delete(question);
    this.#answers.set(question, asked);
    this.#evict(at);
    asked.answer.catch(() => {
      if (this.#answers.get(question) === asked) this.#answers.delete(question);
    });
    return asked.answer;
  }

  /** Drops the oldest answers while they are expired or too many. */
  #evict(now: number): void {
    for (const [question, { at }] of this.#answers) {
      if (now - at < timeToLive && this.#answers.size <= capacity) return;
      this.#answers.delete(question);
    }
  }
}
