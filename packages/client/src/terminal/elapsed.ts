import { clearStatusLine, showStatusLine } from "./output.ts";
import { shortDuration } from "./times.ts";

/** Time after which a command shows that it works, in milliseconds. */
const shownAfter = 2000;

/**
 * Shows `words` and the seconds since on a terminal, from the third second on, until the returned function is called. Shows nothing
 * elsewhere.
 */
export function startElapsed(words: string): () => void {
  if (!process.stderr.isTTY) return () => {};
  const begun = Date.now();
  const show = () => {
    const elapsed = Date.now() - begun;
    if (elapsed >= shownAfter) showStatusLine(`  ${words} … ${shortDuration(Math.floor(elapsed / 1000))}`);
  };
  const timer = setInterval(show, 1000);
  return () => {
    clearInterval(timer);
    clearStatusLine();
  };
}

/** Calls `work`. If it takes more than two seconds, a terminal shows `words` and the seconds since. */
export async function withElapsed<T>(words: string, work: () => Promise<T>): Promise<T> {
  const end = startElapsed(words);
  try {
    return await work();
  } finally {
    end();
  }
}
