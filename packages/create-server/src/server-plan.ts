import { CreateServerError } from "./errors.ts";

/** Frameworks that a server can be written for. */
export const frameworks = ["express", "fetch"] as const;
export type Framework = (typeof frameworks)[number];

/** Choices that a server is created from. */
export type ServerPlan = {
  /** Folder of the server, which is made, or is empty. */
  readonly folder: string;
  /** Path of a SQLite file, or URL of a PostgreSQL database. */
  readonly database: string;
  readonly framework: Framework;
  /** Namespace of the types in the metadata, such as `Office`. */
  readonly namespace: string;
};

/** A fact of the plan, as it is asked for on a terminal. */
export type PlanQuestion = {
  readonly asks: string;
  /** Answer where nothing else is given. Undefined: there is none. */
  readonly otherwise: string | undefined;
  /** Returns what the answer must be; undefined if it is that. */
  readonly fault: (answer: string) => string | undefined;
};

const namespacePattern = /^[\p{L}_][\p{L}\p{Nd}_]*(?:\.[\p{L}_][\p{L}\p{Nd}_]*)*$/u;

/** The questions, in the order in which they are asked. */
export const planQuestions: Readonly<Record<keyof ServerPlan, PlanQuestion>> = {
  folder: {
    asks: "Folder of the server",
    otherwise: "my-server",
    fault: (answer) => (answer.trim() === "" ? "the path of a folder" : undefined),
  },
  database: {
    asks: "SQLite file, or URL of a PostgreSQL database",
    otherwise: undefined,
    fault: (answer) => (answer.trim() === "" ? "the path of a SQLite file, or a postgres:// URL" : undefined),
  },
  framework: {
    asks: "Framework: express or fetch",
    otherwise: "express",
    fault: (answer) =>
      (frameworks as readonly string[]).includes(answer) ? undefined : frameworks.join(" or "),
  },
  namespace: {
    asks: "Namespace of the types",
    otherwise: "Office",
    fault: (answer) =>
      namespacePattern.test(answer)
        ? undefined
        : "names of letters, digits and underscores, with points between them, such as `Office` or `org.example`",
  },
};

/**
 * Completes what is given: asks on a terminal, or takes the defaults.
 *
 * @param ask asks a person; undefined without a terminal
 * @throws {CreateServerError} with what must be given, or is given wrongly
 */
export async function completePlan(
  given: Partial<Readonly<Record<keyof ServerPlan, string>>>,
  ask: ((question: PlanQuestion) => Promise<string>) | undefined,
): Promise<ServerPlan> {
  const names = Object.keys(planQuestions) as (keyof ServerPlan)[];
  const answers: Partial<Record<keyof ServerPlan, string>> = {};
  for (const name of names) {
    const question = planQuestions[name];
    const answer = given[name] ?? (ask === undefined ? question.otherwise : await ask(question));
    if (answer === undefined)
      throw new CreateServerError(
        "give the database: `--database listings.db`, or `--database postgres://…`",
      );
    const must = question.fault(answer);
    if (must !== undefined)
      throw new CreateServerError(
        `${name === "folder" ? "the folder" : `--${name}`} must be ${must}: it is \`${answer}\``,
      );
    answers[name] = answer;
  }
  return answers as ServerPlan;
}
