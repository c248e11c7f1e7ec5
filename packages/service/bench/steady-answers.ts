import { createHash } from "node:crypto";
import type { Client, Reply } from "./client.ts";

/** Response headers that legitimately differ between two answers to one request, with the reason. */
const varyingHeaders: Readonly<Record<string, string>> = {
  date: "the time of the answer",
  "x-request-id": "drawn for each request",
  "ratelimit-remaining": "counts the requests of the second",
  "ratelimit-reset": "the time until the next second",
};

/** Parts of bodies that legitimately differ, with the reason. */
const varyingTexts: readonly { readonly pattern: RegExp; readonly why: string }[] = [
  { pattern: /(skiptoken=)[\w%.-]+/g, why: "tokens are encrypted anew for each page" },
  { pattern: /("(?:request_id|requestId)":)"[^"]*"/g, why: "the request's own id" },
];

/** Returns what must stay equal of an answer: status, headers and body. */
export function steadyText({ status, headers, body }: Reply): string {
  const kept = Object.entries(headers).filter(([name]) => !(name in varyingHeaders));
  const text = varyingTexts.reduce((all, { pattern }) => all.replace(pattern, "$1"), body.toString("latin1"));
  return `${status}\n${JSON.stringify(Object.fromEntries(kept))}\n${text}`;
}

const digestOf = (text: string): string => createHash("sha256").update(text).digest("base64");

/** A customer whose answers must stay as they are. */
export type SteadyCustomer = {
  readonly name: string;
  readonly client: Client;
  readonly targets: readonly string[];
};

/** A measured answer. */
export type Sample = {
  readonly phase: string;
  /** Duration in milliseconds. */
  readonly duration: number;
  readonly outcome: "same" | "changed" | "failed";
};

/** Asks customers' requests without pause, and compares each answer with the first one to the same request. */
export class SteadyAnswers {
  /** The phase that the next requests are counted in. */
  phase = "before";
  readonly samples: Sample[] = [];
  /** Descriptions of the first answers that failed or changed. */
  readonly faults: string[] = [];
  readonly #expected = new Map<string, string>();
  readonly #released = new Set<string>();
  readonly #loops: Promise<void>[] = [];
  #isOver = false;

  /** Records the answers to expect. @throws {Error} if one fails, or the second answer is another than the first */
  async expect({ name, client, targets }: SteadyCustomer): Promise<void> {
    for (const target of targets) {
      const first = await client.get(target);
      if (first.status !== 200)
        throw new Error(`${name}: ${target} gave ${first.status}: ${first.body.toString("utf8", 0, 300)}`);
      const [text, again] = [steadyText(first), steadyText(await client.get(target))];
      if (text !== again)
        throw new Error(`${name}: ${target} varies by itself: ${differenceOf(text, again)}`);
      this.#expected.set(`${name} ${target}`, text.length < 100_000 ? text : digestOf(text));
    }
  }

  /** Starts loops that ask the requests of a customer in turn. */
  start(customer: SteadyCustomer, loops: number): void {
    for (let loop = 0; loop < loops; loop++) this.#loops.push(this.#ask(customer, loop));
  }

  /** Asks for a customer no longer: it sees what has changed. */
  release(name: string): void {
    this.#released.add(name);
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#loops);
  }

  async #ask({ name, client, targets }: SteadyCustomer, first: number): Promise<void> {
    for (let turn = first; !this.#isOver && !this.#released.has(name); turn++) {
      const target = targets[turn % targets.length] ?? "";
      const { phase } = this;
      const start = performance.now();
      const reply = await client.get(target).catch((error: unknown) => error);
      const duration = performance.now() - start;
      if (this.#released.has(name)) return;
      this.samples.push({ phase, duration, outcome: this.#judge(name, target, reply, phase) });
    }
  }

  #judge(name: string, target: string, reply: unknown, phase: string): Sample["outcome"] {
    if (reply instanceof Error)
      return this.#fault("failed", `${phase}: ${name}: ${target}: ${reply.message}`);
    const given = reply as Reply;
    if (given.status !== 200)
      return this.#fault(
        "failed",
        `${phase}: ${name}: ${target} gave ${given.status}: ${given.body.toString("utf8", 0, 300)}`,
      );
    const text = steadyText(given);
    const expected = this.#expected.get(`${name} ${target}`) ?? "";
    if (text === expected || digestOf(text) === expected) return "same";
    return this.#fault("changed", `${phase}: ${name}: ${target} changed: ${differenceOf(expected, text)}`);
  }

  #fault(outcome: "failed" | "changed", words: string): Sample["outcome"] {
    if (this.faults.length < 20) this.faults.push(words);
    return outcome;
  }
}

/** Returns both texts around the first difference. */
function differenceOf(one: string, other: string): string {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  const around = (text: string) => JSON.stringify(text.slice(Math.max(0, at - 80), at + 120));
  return `${around(one)} became ${around(other)}`;
}
