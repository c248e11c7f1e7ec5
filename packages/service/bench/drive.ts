import { bodyOf, type Client, nextPathOf } from "./client.ts";
import { cpuOf } from "./cpu.ts";

/** What a run of requests cost the server. */
export type Cost = {
  /** Milliseconds of CPU a request. */
  readonly cpu: number;
  /** Requests a second. */
  readonly rate: number;
  /** Bytes of a body. */
  readonly bytes: number;
};

type Served = { readonly requests: number; readonly bytes: number };

async function costOf(pid: number, work: () => Promise<Served>): Promise<Cost> {
  const [cpu, started] = [cpuOf(pid), performance.now()];
  const { requests, bytes } = await work();
  const seconds = (performance.now() - started) / 1000;
  return { cpu: (cpuOf(pid) - cpu) / requests, rate: requests / seconds, bytes: bytes / requests };
}

/**
 * Ask for `seconds`, `concurrency` at a time, at least once; what has begun is waited for, so that every cost
 * falls on a request that counts.
 *
 * @param pathOf the path of each turn
 */
export const drive = (
  { client, pid }: { readonly client: Client; readonly pid: number },
  pathOf: (turn: number) => string,
  { seconds, concurrency }: { readonly seconds: number; readonly concurrency: number },
): Promise<Cost> =>
  costOf(pid, async () => {
    const end = performance.now() + seconds * 1000;
    let [requests, bytes] = [0, 0];
    const ask = async () => {
      do {
        const body = await bodyOf(client, pathOf(requests++));
        bytes += body.length;
      } while (performance.now() < end);
    };
    await Promise.all(Array.from({ length: concurrency }, ask));
    return { requests, bytes };
  });

/** Follow the next links from `path` on, to the end or for `pages`. */
export const walk = (
  { client, pid }: { readonly client: Client; readonly pid: number },
  path: string,
  pages: number,
): Promise<Cost> =>
  costOf(pid, async () => {
    let [requests, bytes] = [0, 0];
    for (let next: string | undefined = path; next !== undefined && requests < pages; ) {
      const body = await bodyOf(client, next);
      requests++;
      bytes += body.length;
      next = nextPathOf(body);
    }
    return { requests, bytes };
  });
