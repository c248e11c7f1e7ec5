import { compareCodePoints } from "../code-points.ts";

/** The JSON text of a record, and its key. */
export type KeyedLine = { readonly key: string; readonly line: string };

/** The lines of a key in two states; undefined where a state does not have the key. */
export type KeyChange =
  | { readonly key: string; readonly was: string; readonly is: undefined }
  | { readonly key: string; readonly was: string | undefined; readonly is: string };

/**
 * Merges the lines of two states, each sorted by the code points of the key, into one sequence (a sort-merge join). A key that both states
 * have comes once, with both lines.
 */
export async function* mergeStates(
  was: AsyncIterable<KeyedLine>,
  is: AsyncIterable<KeyedLine>,
): AsyncGenerator<KeyChange> {
  const [before, after] = [was[Symbol.asyncIterator](), is[Symbol.asyncIterator]()];
  try {
    let [old, fresh] = await Promise.all([before.next(), after.next()]);
    for (;;) {
      const step = orderOf(old, fresh);
      if (step === undefined) return;
      const change = changeOf(step <= 0 ? old : undefined, step >= 0 ? fresh : undefined);
      if (change !== undefined) yield change;
      if (step <= 0) old = await before.next();
      if (step >= 0) fresh = await after.next();
    }
  } finally {
    await Promise.all([before.return?.(), after.return?.()]);
  }
}

type Head = IteratorResult<KeyedLine, unknown>;

/** Returns below zero if the old key comes first, zero if the keys are equal, above zero otherwise; undefined if both states have ended. */
function orderOf(old: Head, fresh: Head): number | undefined {
  if (old.done === true) return fresh.done === true ? undefined : 1;
  return fresh.done === true ? -1 : compareCodePoints(old.value.key, fresh.value.key);
}

function changeOf(old: Head | undefined, fresh: Head | undefined): KeyChange | undefined {
  const was = old?.done === false ? old.value : undefined;
  const is = fresh?.done === false ? fresh.value : undefined;
  if (is !== undefined) return { key: is.key, was: was?.line, is: is.line };
  return was && { key: was.key, was: was.line, is: undefined };
}
