import { expect, onTestFinished, test } from "vitest";
import { end, startProgram } from "../../support/program.ts";
import type { Delivery } from "../../support/pushed-deliveries.ts";
import { type Pushing, pushingOf, pushSettings } from "../../support/pushing.ts";
import { run } from "../../support/running.ts";

/** What is left by workers that end without a word. */
export function crashJourney(pushing: () => Pushing): void {
  test("a worker that is killed at any object leaves what its successors complete, and nothing is written again", async () => {
    const { server, owner } = pushing();
    const settings = pushSettings(server);
    const beside = await run({ CADASTRE_LISTINGS: "150", CADASTRE_WORKER: "false", ...settings });
    onTestFinished(() => beside.stop());
    const { national, destinations, deliveries } = pushingOf(beside, owner, server);
    const start = () =>
      startProgram("cli/main.ts", ["worker"], {
        CADASTRE_DATA: beside.folder.path,
        CADASTRE_LOG_LEVEL: "silent",
        ...settings,
      });
    let worker = await start();
    onTestFinished(() => void worker.child.kill("SIGKILL"));
    const { id: destinationId, prefix } = await destinations.onboarded();
    // The first request for each of these kills its worker: before it is served, or after.
    const deaths: [string, "broken" | "unanswered"][] = [
      [".jsonl.gz", "unanswered"],
      ["manifest.json", "broken"],
      ["_COMPLETE", "broken"],
      ["_COMPLETE", "unanswered"],
    ];
    server.failWhen(({ method, path }) => {
      const [name = "?", fault] = deaths[0] ?? [];
      const isWanted = method === "PUT" && path.includes(prefix) && path.includes(name);
      if (!isWanted || worker.child.killed) return undefined;
      deaths.shift();
      worker.child.kill("SIGKILL");
      return fault;
    });
    const seen = new Map<string, object>();
    const lookAgain = async (published: Delivery) => {
      for (const { key, ...facts } of await deliveries.look(published)) {
        expect(facts).toEqual(seen.get(key) ?? facts);
        seen.set(key, facts);
      }
    };
    const id = await national.created({ deliveryMode: "push", destinationId });
    for (let left = deaths.length; left > 0; left--) {
      await expect.poll(() => worker.child.signalCode, { timeout: 30_000 }).toBe("SIGKILL");
      const cutOff = await deliveries.find(id);
      expect(cutOff).toMatchObject({ status: "publishing", publication: { status: "publishing" } });
      await lookAgain(cutOff);
      worker = await start();
    }
    const ended = await deliveries.settled(id);
    expect(ended).toMatchObject({ status: "complete", publication: { status: "complete" } });
    expect(await deliveries.namesAt(ended)).toEqual(await deliveries.wantedOf(ended));
    await lookAgain(ended);
    expect(await end(worker, "SIGTERM")).toBe(0);
  }, 180_000);
}
