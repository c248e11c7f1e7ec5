import { takesEffectWithin } from "../takes-effect.ts";

/** Freshness of an answer: cached for at most `takesEffectWithin`, or read now. */
export type Freshness = "recent" | "fresh";

/** How long an answer holds, in milliseconds from when it was asked for. */
const life = takesEffectWithin;

/** Answers that are remembered at most. */
const capacity = 10_000;

type Asked<Answer> = { readonly at: number; readonly answer: Promise<Answer> };

/** Answers by question. Those who ask the same at once share one answer; a failure is not remembered. */
export class RecentAnswers<Answer> {
  /** In the order in which they were asked for. */
  readonly #asked = new Map<string, Asked<Answer>>();
  readonly #now: () => number;

  /** @param now milliseconds of a clock that is never set back */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  get(question: string, ask: () => Promise<Answer>, freshness: Freshness = "recent"): Promise<Answer> {
    const known = this.#asked.get(question);
    if (known !== undefined && freshness === "recent" && this.#now() - known.at < life) return known.answer;
    return this.#ask(question, ask);
  }

  #ask(question: string, ask: () => Promise<Answer>): Promise<Answer> {
    const at = this.#now();
    const asked = { at, answer: ask() };
    this.#asked.delete(question);
    this.#asked.set(question, asked);
    this.#forget(at);
    asked.answer.catch(() => {
      if (this.#asked.get(question) === asked) this.#asked.delete(question);
    });
    return asked.answer;
  }

  /** The oldest, as long as they are over or too many. */
  #forget(now: number): void {
    for (const [question, { at }] of this.#asked) {
      if (now - at < life && this.#asked.size <= capacity) return;
      this.#asked.delete(question);
    }
  }
}
