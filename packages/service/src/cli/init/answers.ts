import { readFileSync } from "node:fs";
import { nearest } from "@cadastre/odata";
import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from "yaml";
import { fileReason, isFileError } from "../../file-error.ts";
import { yamlFault } from "../../yaml-fault.ts";
import { CommandRefused, WrongUsage } from "../outcome.ts";
import { type InitAnswers, type Question, questions } from "./questions.ts";

/** Answers that are known before anything is asked. */
type KnownAnswers = ReadonlyMap<string, string>;

/** Name of the option of a question in the options that commander parses. */
export const optionOf = ({ name }: Pick<Question, "name">): string =>
  name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/**
 * Completes the answers: asks on a terminal, or takes the defaults.
 *
 * @param ask asks a person; undefined without a terminal
 * @throws {CommandRefused} with all faults or, if there are none, with the flags that are missing
 */
export async function completeAnswers(
  known: KnownAnswers,
  takesDefaults: boolean,
  ask: ((question: Question) => Promise<string>) | undefined,
): Promise<InitAnswers> {
  const faults = questions.flatMap((question) => {
    const answer = known.get(question.name);
    const must = answer === undefined ? undefined : question.fault(answer);
    return must === undefined ? [] : [`${question.flag.split(" ")[0]} must be ${must}`];
  });
  if (faults.length > 0) throw new WrongUsage(faults.join("\n"));
  const answers = new Map(known);
  const isOpen = ({ name, isNeedless }: Question) => !answers.has(name) && isNeedless?.(answers) !== true;
  const open = questions.filter(isOpen);
  if (open.length > 0 && !takesDefaults && ask === undefined)
    throw new WrongUsage(
      `without a terminal, init needs ${open.map(({ flag }) => flag).join(", ")}; or --from <file> with these answers; or --yes for the defaults`,
    );
  for (const question of questions)
    if (!isOpen(question)) answers.set(question.name, answers.get(question.name) ?? "");
    else
      answers.set(question.name, takesDefaults || ask === undefined ? question.default : await ask(question));
  return Object.fromEntries(answers) as InitAnswers;
}

/**
 * Reads a file of answers: YAML with the names of the questions. Systems are a list of `{ id, name, states, prefix }`, or a text.
 *
 * @throws {CommandRefused} with file, line and column of each fault
 */
export function readAnswers(file: string): KnownAnswers {
  const lines = new LineCounter();
  const document = parseDocument(readText(file), { lineCounter: lines, prettyErrors: false });
  const at = (offset = 0) => {
    const { line, col } = lines.linePos(offset);
    return `${file}:${line}:${col}:`;
  };
  if (document.errors.length > 0)
    throw new CommandRefused(
      document.errors.map((fault) => `${at(fault.pos[0])} ${yamlFault(document, fault)}`).join("\n"),
    );
  const names: readonly string[] = questions.map(({ name }) => name);
  const { contents } = document;
  if (!isMap(contents))
    throw new CommandRefused(
      `${at()} must have answers, such as \`port: 8080\`. Questions are ${names.join(", ")}`,
    );
  const answers = new Map<string, string>();
  const faults: string[] = [];
  for (const pair of contents.items) {
    const key = pair.key as Node;
    const name = isScalar(key) ? String(key.value) : String(key);
    const place = at(key.range?.[0]);
    const question: Question | undefined = questions.find((one) => one.name === name);
    if (question === undefined) {
      const suggestion = nearest(name, names);
      faults.push(
        `${place} \`${name}\` is no question${suggestion === undefined ? "." : `: did you mean \`${suggestion}\`?`} Allowed are ${names.join(", ")}`,
      );
      continue;
    }
    const answer = textOf(pair.value as Node | null);
    const must = question.fault(answer);
    if (must === undefined) answers.set(name, answer);
    else faults.push(`${place} ${name} must be ${must}`);
  }
  if (faults.length > 0) throw new CommandRefused(faults.join("\n"));
  return answers;
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (!isFileError(error)) throw error;
    throw new CommandRefused(`\`${file}\` cannot be read: ${fileReason(error)}`, { cause: error });
  }
}

function textOf(value: Node | null): string {
  if (isScalar(value)) return typeof value.value === "string" ? value.value : (value.source ?? "");
  if (!isSeq(value)) return String(value ?? "");
  return value.items.map(systemText).join(";");
}

function systemText(item: unknown): string {
  if (!isMap(item)) return String(item);
  const { id, name, states, prefix } = item.toJSON() as Readonly<Record<string, unknown>>;
  const listed = Array.isArray(states) ? states.join(",") : states;
  return [id, name, listed, ...(prefix === undefined ? [] : [prefix])].join(":");
}
