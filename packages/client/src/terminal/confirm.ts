import { createInterface } from "node:readline";
import { clearStatusLine } from "./output.ts";

/**
 * Asks a question on the terminal. Only `y` and `yes` confirm.
 *
 * @returns undefined if there is no terminal, so that nobody can be asked
 */
export function confirm(question: string): Promise<boolean | undefined> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return Promise.resolve(undefined);
  clearStatusLine();
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  return new Promise((resolve) => {
    // The end of the input and Ctrl-C close the terminal without an answer.
    terminal.once("close", () => resolve(false));
    terminal.question(`${question} [y/N] `, (answer) => {
      resolve(/^y(?:es)?$/i.test(answer.trim()));
      terminal.close();
    });
  });
}
