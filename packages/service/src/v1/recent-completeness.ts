import type { Coverage } from "@cadastre/store";
import type { Answer } from "../http/answer.ts";

/** Answers that are remembered of a build: one of all fields of five systems is 1 MB. */
const capacity = 64;

/** Answers by build and question: they hold for as long as the build is served. */
export class RecentCompleteness {
  readonly #answers = new WeakMap<Coverage, Map<string, Answer>>();

  /** @param make what throws is not remembered */
  get(coverage: Coverage, question: string, make: () => Answer): Answer {
    const answers = this.#answers.get(coverage) ?? new Map<string, Answer>();
    this.#answers.set(coverage, answers);
    const answer = answers.get(question) ?? make();
    // The latest are kept.
    answers.delete(question);
    answers.set(question, answer);
    const [oldest] = answers.keys();
    if (answers.size > capacity && oldest !== undefined) answers.delete(oldest);
    return answer;
  }
}
