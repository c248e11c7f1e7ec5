import { createInterface } from "node:readline";
import { Option } from "commander";
import { clearStatusLine } from "./output.ts";

export type ConfirmFlags = { readonly yes?: true | undefined };

/** Option of commands that delete something. */
export const yesOption = (): Option => new Option("-y, --yes", "confirm without being asked");

/** Returns true if `--yes` is given, or the user confirms the effect on the terminal. Without a terminal nobody can be asked. */
export const isConfirmed = async ({ yes }: ConfirmFlags, effect: string): Promise<boolean> =>
  yes === true || (await confirm(`${effect}. Go on?`)) === true;

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
