import { setTimeout } from "node:timers/promises";
import type { Destinations } from "@cadastre/delivery";
import { errorFields, type Log } from "../log.ts";

/** Polling interval for destinations to verify, in milliseconds. */
const interval = 250;

/** Verifies waiting destinations one after the other until it is stopped. An interrupted verification is repeated later. */
export function startVerifier({ verifyNext }: Pick<Destinations, "verifyNext">, log: Log) {
  const stopping = new AbortController();
  const { signal } = stopping;
  const run = async () => {
    while (!signal.aborted) {
      const verified = await verifyNext().catch((error: unknown) => {
        if (!signal.aborted) log.error(errorFields(error), "could not verify a destination");
        return undefined;
      });
      if (verified === undefined) await setTimeout(interval, undefined, { signal }).catch(() => {});
      else
        log.info(
          { destination: verified.id, status: verified.state, failure: verified.failure },
          "verified a destination",
        );
    }
  };
  void run();
  return { stop: (): void => stopping.abort() };
}
