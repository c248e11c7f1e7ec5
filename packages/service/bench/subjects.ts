import type { Bench } from "./bench.ts";
import { type Client, connect } from "./client.ts";
import { startCap } from "./peers/cap.ts";
import { startResoTools } from "./peers/reso-tools.ts";
import { load, type Running, start } from "./processes.ts";
import { collection, type Query } from "./queries.ts";

/** A server under test, and a function that returns the path of each query on it. */
export type Subject = {
  readonly name: string;
  readonly pid: number;
  /** Main process of its database server, whose CPU time is counted with it. */
  readonly database?: number | undefined;
  readonly client: Client;
  readonly pathOf: (query: Query, turn: number) => string;
  /** CPU time from its start until it could answer, in milliseconds. */
  readonly startCpu: number;
  readonly stop: () => Promise<void>;
};

/** Other servers of the same records. `naive code` reads rows as objects, and writes them with `JSON.stringify`. */
export const peers = ["naive code", "SAP CAP", "reso-tools"] as const;
export type Peer = (typeof peers)[number];

/** Servers of the same records. A text says why there is none. */
export type Servers = Readonly<Record<"service" | "floor" | Peer, Subject | string>>;

/** Number of parallel requests, enough to keep one core busy. */
export const concurrency = 4;

/** Returns a subject, which has `concurrency` connections. */
export function subjectOf(
  name: string,
  running: Running,
  pathOf: Subject["pathOf"],
  { apiKey, database }: { readonly apiKey?: string | undefined; readonly database?: number | undefined } = {},
): Subject {
  const client = connect(running, concurrency, apiKey, {}, "retry");
  const stop = async () => {
    client.close();
    await running.stop();
  };
  return { name, pid: running.pid, database, client, pathOf, startCpu: running.startCpu, stop };
}

/** Files or URLs of the databases of {@link startListings}. */
export const listingDatabases = (bench: Bench) =>
  bench.shared("listing databases", async () => {
    const { listings } = bench.sizes;
    const databases = {
      floor: await bench.createDatabase("floor"),
      service: await bench.createDatabase("service"),
    };
    await load("floor", databases.floor, listings);
    await load("listings", databases.service, listings);
    for (const database of Object.values(databases)) await bench.postgres?.settle(database);
    return databases;
  });

/** Starts the service, the floor and the peers, all with the same listings of 64 fields. */
export const startListings = (bench: Bench): Promise<Servers> =>
  bench.shared("listings", async () => {
    const { postgres, folder } = bench;
    const { listings } = bench.sizes;
    const { floor, service } = await listingDatabases(bench);
    const at = { database: postgres?.pid };
    const floorPath: Subject["pathOf"] = (query, turn) => query.floor(turn, listings);
    const peerPath =
      (root: string): Subject["pathOf"] =>
      (query, turn) =>
        inOrder(query.service(turn, listings)).replace(collection, `${root}/Property`);
    const running = untilStop(bench, await start("serve", ["listings", service, folder]));
    const startFloor = async (kind: "json" | "objects") =>
      untilStop(bench, await start(postgres === undefined ? "floor" : "postgres-floor", [kind, floor]));
    const cap = untilStop(bench, await startCap(folder, listings, postgres));
    const resoTools =
      bench.resoTools === undefined
        ? "no --reso-tools"
        : untilStop(bench, await startResoTools(bench.resoTools, folder, listings, postgres));
    const peer = (name: Peer, server: Running | string, root: string) =>
      typeof server === "string" ? server : subjectOf(name, server, peerPath(root), at);
    return {
      service: subjectOf("service", running, (query, turn) => query.service(turn, listings), {
        ...at,
        apiKey: running.keys.all,
      }),
      floor: subjectOf("floor", await startFloor("json"), floorPath, at),
      "naive code": subjectOf("naive code", await startFloor("objects"), floorPath, at),
      "SAP CAP": peer("SAP CAP", cap, "/odata"),
      "reso-tools": peer("reso-tools", resoTools, ""),
    };
  });

/** Asks for the service's default order, and breaks ties as it does: peers promise no order. */
function inOrder(path: string): string {
  if (!path.includes("?")) return path;
  return path.includes("$orderby=")
    ? path.replace(/\$orderby=[^&]*/, "$&,ListingKey")
    : `${path}&$orderby=ModificationTimestamp,ListingKey`;
}

/** Stops a server with the bench. */
export function untilStop<T extends Pick<Running, "stop"> | string>(bench: Bench, server: T): T {
  if (typeof server !== "string") bench.onStop(server.stop);
  return server;
}

/**
 * Starts the service with all fields of Property and a sample market. Returns one subject for each customer.
 *
 * @param server of PostgreSQL: its main process, and a folder for what the service keeps elsewhere
 */
export async function startDictionary(
  file: string,
  listings: number,
  server: { readonly pid?: number | undefined; readonly folder?: string } = {},
): Promise<readonly Subject[]> {
  await load("dictionary", file, listings);
  const running = await start("serve", [
    "dictionary",
    file,
    ...(server.folder === undefined ? [] : [server.folder]),
  ]);
  return (["all", "partial"] as const).map((customer) =>
    subjectOf(customer, running, (query, turn) => query.service(turn, listings), {
      apiKey: running.keys[customer],
      database: server.pid,
    }),
  );
}
