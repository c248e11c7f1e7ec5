import type { ManifestError } from "@cadastre/manifest";
import { ClientError } from "../errors.ts";
import { countFailures } from "../failures.ts";
import type { Connection } from "../http/connection.ts";
import { type Looks, longer, pauseFor } from "../http/pause.ts";
import { type ReplicationOptions, type ReplicationReport, replicate } from "./replicate.ts";

export type FollowReplicaOptions = ReplicationOptions & {
  /** Pauses between two looks for changes when there are none. */
  readonly pauses: Looks;
  /** Called after each look. */
  readonly onReport?: (report: ReplicationReport) => void;
  /** Called after a failure that does not end the run, with the pause before the retry in milliseconds. */
  readonly onPause?: (error: ClientError | ManifestError, pause: number) => void;
};

/**
 * Keeps a replica of an entity set current until the signal of the connection, as repeated calls of `replicate` would. Of a service without
 * delta links it always waits for the longest pause, because each look reads all keys.
 *
 * @throws {ClientError} `interrupted` after the signal; a failure that does not pass
 */
export async function followReplica(connection: Connection, options: FollowReplicaOptions): Promise<never> {
  const { pauses, onReport = () => {}, onPause = () => {} } = options;
  const { signal } = connection;
  const failures = countFailures();
  for (let pause = pauses[0]; ; pause = longer(pause, pauses)) {
    try {
      const report = await replicate(connection, options);
      failures.reset();
      onReport(report);
      if (report.next === "timestamps") pause = pauses[1];
      else if (report.read + report.removed > 0) pause = pauses[0];
    } catch (error) {
      if (signal?.aborted) throw new ClientError("interrupted");
      if (!failures.goesOn(error)) throw error;
      onPause(error, pause);
    }
    await pauseFor(pause, signal);
  }
}
