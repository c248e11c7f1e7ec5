import { asTyped } from "./typed-command.ts";

/** Erases the line that the cursor is in. */
const eraseLine = "\r\u001b[K";

let statusShown = false;

/** Shows a line on the terminal that the next output replaces. Shows nothing if standard error is no terminal. */
export function showStatusLine(text: string): void {
  if (!process.stderr.isTTY) return;
  process.stderr.write(`${eraseLine}${text}`);
  statusShown = true;
}

export function clearStatusLine(): void {
  if (statusShown) process.stderr.write(eraseLine);
  statusShown = false;
}

/**
 * Keeps the program from failing when the reader of its standard output has ended, as `head` does.
 *
 * @param onClosed called when that is noticed
 */
export function tolerateClosedOutput(onClosed: () => void = () => {}): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    onClosed();
  });
}

/** Writes the result of a command to standard output. Nothing else is written there. */
export function printResult(result: string): void {
  clearStatusLine();
  process.stdout.write(`${result}\n`);
}

/** Writes a message for a person to standard error. Commands in it are named as the person can type them. */
export function printMessage(words: string): void {
  clearStatusLine();
  process.stderr.write(`${asTyped(words)}\n`);
}

/** Replaces control characters, with which a text of someone else could change what a terminal shows. */
export const printable = (text: string): string => text.replaceAll(/\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}/gu, "�");
