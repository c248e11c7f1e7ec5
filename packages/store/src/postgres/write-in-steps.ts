import { setImmediate } from "node:timers/promises";
import { type RecordForm, RecordWriter } from "@cadastre/odata";

/** Records between two looks at the clock. */
const recordsAtOnce = 8;
/** Milliseconds of a step. */
const stepTime = 5;

let last: Promise<unknown> = Promise.resolve();

/**
 * Writes records in another form, in steps of a few milliseconds between which the thread does other work. One page is written at a time, in
 * the whole process: however many are asked for, a step is all that others wait for.
 */
export function writeInSteps(records: Uint8Array, form: RecordForm): Promise<Uint8Array> {
  const written = last.then(async () => {
    const writer = new RecordWriter(records, form);
    let isLeft = true;
    while (isLeft) {
      const end = performance.now() + stepTime;
      while (isLeft && performance.now() < end) isLeft = writer.write(recordsAtOnce);
      await setImmediate();
    }
    return writer.finish();
  });
  last = written.catch(() => {});
  return written;
}
