// Sends entity events in a process of its own, which may die at a crash point. The argument is a task as JSON.
import { createWebhookSender, type EntityEvent } from "../../src/index.ts";
import { scopeFor } from "./scope.ts";
import { openRegistry, type Place } from "./workshop.ts";

export type SenderCrashPoint = "claimed" | "posted" | "noted";

export type SenderTask = {
  readonly place: Place;
  /** Key of 32 bytes in hexadecimal. */
  readonly key: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Number of the customer's events: 10, 20, 30 … */
  readonly count: number;
  /** Dies at the point, when it is met for the `time`th time. */
  readonly crash?: { readonly point: SenderCrashPoint; readonly time: number };
};

const { place, key, now, count, crash } = JSON.parse(process.argv[2] ?? "") as SenderTask;
const registry = await openRegistry(place);
const { outbox } = registry.webhooks;

let met = 0;
function meet(point: SenderCrashPoint): void {
  if (crash?.point === point && ++met === crash.time) process.kill(process.pid, "SIGKILL");
}

const eventAt = (number: number): EntityEvent => ({
  number,
  json: JSON.stringify({
    EntityEventSequence: number,
    ResourceName: "Property",
    ResourceRecordKey: `${number}`,
  }),
});

const sender = createWebhookSender({
  key: Buffer.from(key, "hex"),
  loopback: true,
  clock: () => now,
  scopeOf: async () => scopeFor(),
  events: {
    follow: async () => count * 10,
    after: async (_customer, number, limit) =>
      Array.from({ length: Math.min(limit, count - number / 10) }, (_, i) => eventAt(number + (i + 1) * 10)),
  },
  outbox: {
    ...outbox,
    claim: async (...terms) => {
      const claimed = await outbox.claim(...terms);
      if (claimed !== undefined) meet("claimed");
      return claimed;
    },
    note: async (...result) => {
      meet("posted");
      const isNoted = await outbox.note(...result);
      meet("noted");
      return isNoted;
    },
  },
});
await sender.gatherEvents();
while ((await sender.send()) !== undefined);
await registry.close();
