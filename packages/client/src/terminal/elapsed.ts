import { clearStatusLine, showStatusLine } from "./output.ts";
import { shortDuration } from "./times.ts";

/** Time after which a command shows that it works, in milliseconds. */
const shownAfter = 2000;

/** Calls `work`. If it takes more than two seconds, a terminal shows `words` and the seconds since. */
export async function withElapsed<T>(words: string, work: () => Promise<T>): Promise<T> {
  if (!process.stderr.isTTY) return work();
  const begun = Date.now();
  const show = () => {
    const elapsed = Date.now() - begun;
    if (elapsed >= shownAfter) showStatusLine(`  ${words} … ${shortDuration(Math.floor(elapsed / 1000))}`);
  };
  const timer = setInterval(show, 1000);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    clearStatusLine();
  }
}
