import { setImmediate } from "node:timers/promises";
import { type RecordForm, RecordWriter } from "@cadastre/odata/run";

/** Number of records between two checks of the elapsed time. */
const recordsAtOnce = 8;
/** Duration of a step in milliseconds. */
const stepTime = 5;

let last: Promise<unknown> = Promise.resolve();

/**
 * Converts records to another form in steps of a few milliseconds, between which the event loop runs other tasks. The whole
 * process converts one page at a time, so that other tasks never wait for more than one step.
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
