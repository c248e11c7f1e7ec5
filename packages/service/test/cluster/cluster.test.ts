import { hasHaproxy, hasPgbouncer, hasPostgres } from "@cadastre/odata/testing";
import { expect, test } from "vitest";
import { createFindings, difference, listOwn, lookUp, receive, walk } from "./clients.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import { faults, makeFaults } from "./faults.ts";
import { createWriter } from "./writer.ts";

/** Seconds of load and faults. None by default: it needs HAProxy, and minutes. */
const { CLUSTER_SECONDS = "0", SEED = "1" } = process.env;
const seconds = Number(CLUSTER_SECONDS);

const isInstalled = hasHaproxy && hasPgbouncer && hasPostgres;
if (seconds > 0 && !isInstalled) throw new Error("CLUSTER_SECONDS needs PostgreSQL, PgBouncer and HAProxy");

const listings = 400;

test.skipIf(seconds === 0)(
  "nodes, workers, databases and networks that fail: no walk misses or repeats a listing, every delivery is exact, every acknowledged change is there",
  { timeout: (seconds + 600) * 1000 },
  async () => {
    let cluster: Cluster | undefined;
    const stop = new AbortController();
    try {
      cluster = await startCluster(listings);
      const { served, store, checkpointOf } = cluster;
      const writer = createWriter(store, Number(SEED));
      const findings = createFindings();
      const keys = (await listOwn(served, findings)).others;
      const timer = setTimeout(() => stop.abort(), seconds * 1000);
      const work = [
        writer.write(stop.signal),
        walk(served, writer, keys.length, findings, stop.signal),
        walk(served, writer, keys.length, findings, stop.signal),
        lookUp(served, keys, findings, stop.signal),
        receive(served, writer, checkpointOf, findings, stop.signal),
      ];
      const made = await makeFaults(cluster, Number(SEED), 3000, stop.signal);
      clearTimeout(timer);
      await Promise.all(work);
      const { walks, lookUps, deliveries, answers, wrong } = findings;
      console.log({ made, answers, walks, lookUps, deliveries, ...writer.counts });
      if (wrong.length > 0)
        for (const { output } of [...cluster.nodes, ...cluster.workers]) console.log(output().slice(-20_000));
      expect(wrong.slice(0, 20)).toEqual([]);
      const last = await listOwn(served, findings);
      expect(difference(writer.at(Number.POSITIVE_INFINITY), last.own)).toBe(undefined);
      for (const one of [walks, lookUps, deliveries, writer.counts.committed]) expect(one).toBeGreaterThan(0);
      if (seconds >= 300) expect(made.size).toBe(Object.keys(faults).length);
    } finally {
      stop.abort();
      await cluster?.stop();
    }
  },
);
