import { bodyOf, type Client, nextPathOf } from "./client.ts";
import { cpuOf, cpuWithChildren } from "./cpu.ts";

/** Cost of a run of requests for the server. */
export type Cost = {
  /** CPU time per request, in milliseconds. */
  readonly cpu: number;
  /** Requests per second. */
  readonly rate: number;
  /** Average size of a body, in bytes. */
  readonly bytes: number;
};

type Served = { readonly requests: number; readonly bytes: number };

/** A server to measure. */
type Measured = {
  readonly client: Client;
  readonly pid: number;
  /** Main process of a database server, whose CPU time is the server's too. */
  readonly database?: number | undefined;
};

async function costOf({ pid, database }: Measured, work: () => Promise<Served>): Promise<Cost> {
  const spent = () => cpuOf(pid) + (database === undefined ? 0 : cpuWithChildren(database));
  const [cpu, started] = [spent(), performance.now()];
  const { requests, bytes } = await work();
  const seconds = (performance.now() - started) / 1000;
  return { cpu: (spent() - cpu) / requests, rate: requests / seconds, bytes: bytes / requests };
}

/** When a run ends: after some seconds, or after so many requests. */
type Extent = { readonly seconds: number } | { readonly times: number };

/**
 * Sends requests with `concurrency` in parallel, at least one each. Waits for all started requests, so that all CPU time belongs to counted
 * requests.
 *
 * @param pathOf returns the path of each request
 */
export const drive = (
  measured: Measured,
  pathOf: (turn: number) => string,
  { concurrency, ...extent }: Extent & { readonly concurrency: number },
): Promise<Cost> =>
  costOf(measured, async () => {
    const [end, most] =
      "times" in extent
        ? [Number.POSITIVE_INFINITY, extent.times]
        : [performance.now() + extent.seconds * 1000, Number.POSITIVE_INFINITY];
    let [requests, bytes] = [0, 0];
    const ask = async () => {
      do {
        const body = await bodyOf(measured.client, pathOf(requests++));
        bytes += body.length;
      } while (requests < most && performance.now() < end);
    };
    await Promise.all(Array.from({ length: concurrency }, ask));
    return { requests, bytes };
  });

/** Follows the next links from `path`, to the last page or for at most `pages`. */
export const walk = (measured: Measured, path: string, pages: number): Promise<Cost> =>
  costOf(measured, async () => {
    let [requests, bytes] = [0, 0];
    for (let next: string | undefined = path; next !== undefined && requests < pages; ) {
      const body = await bodyOf(measured.client, next);
      requests++;
      bytes += body.length;
      next = nextPathOf(body);
    }
    return { requests, bytes };
  });
