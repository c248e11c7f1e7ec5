import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compileProgram } from "@cadastre/odata/testing";
import { expect, test } from "vitest";
import { createWebhooks } from "../../src/index.ts";
import { startReceiver } from "../../src/testing/receiver.ts";
import { scopeFor } from "../support/scope.ts";
import { scratchFolder } from "../support/scratch.ts";
import type { SenderCrashPoint, SenderTask } from "../support/sender-process.ts";
import { admit, at, customer, openRegistry } from "../support/workshop.ts";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const program = await compileProgram(fileURLToPath(new URL("../support/sender-process.ts", import.meta.url)));

/** Runs a sender in a process of its own. Returns the signal that ended it, or null. */
async function runSender(task: SenderTask): Promise<NodeJS.Signals | null> {
  const child = spawn(process.execPath, [program, JSON.stringify(task)], { cwd: root, stdio: "inherit" });
  await once(child, "close");
  return child.signalCode;
}

const folder = scratchFolder();
/** Three messages. */
const count = 1200;
const key = Buffer.alloc(32, 7);
const lease = 61_000;

const points: readonly SenderCrashPoint[] = ["claimed", "posted", "noted"];

test("a sender that is killed leaves out no event, and repeats at most the message that it had sent", async () => {
  const receiver = await startReceiver();
  try {
    for (const point of points)
      for (const time of [1, 3]) {
        const place = {
          file: join(folder, `${point}-${time}.sqlite`),
          parts: join(folder, "parts"),
        };
        const registry = await openRegistry(place);
        await admit(registry);
        const { register, find } = createWebhooks({
          registry: registry.webhooks,
          key,
          loopback: true,
          sendsEvents: true,
          clock: () => at,
        });
        const { webhook } = await register(scopeFor(), {
          url: receiver.url,
          entityEvents: { token: "t" },
        });
        receiver.received.length = 0;
        const task = { place, key: key.toString("hex"), count };
        expect(await runSender({ ...task, now: at, crash: { point, time } })).toBe("SIGKILL");
        expect(await runSender({ ...task, now: at + lease })).toBeNull();
        const messages = receiver.received.map(({ body }) =>
          (JSON.parse(body) as { value: { EntityEventSequence: number }[] }).value.map(
            (event) => event.EntityEventSequence,
          ),
        );
        const all = Array.from({ length: count }, (_, i) => (i + 1) * 10);
        expect([...new Set(messages.flat())]).toEqual(all);
        expect([point, time, messages.length]).toEqual([point, time, point === "posted" ? 4 : 3]);
        expect((await find(customer, webhook.id)).eventPush?.sent).toBe(count * 10);
        await registry.close();
      }
  } finally {
    await receiver.stop();
  }
}, 120_000);
