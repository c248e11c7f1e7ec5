import { setTimeout as pause } from "node:timers/promises";
import type { PostgresConnectionOptions } from "../database/postgres-connections.ts";
import type { TableMethods } from "./guarded.ts";

/** Notifications of changes that other processes make. They are a hint: a process that misses one must look at intervals as well. */
export type RegistryChanges = {
  /** Begins to listen, until the registry is closed. A registry in SQLite has no notifications. */
  readonly follow: () => void;
  /** Returns a number that grows with each change that was announced. */
  readonly revision: () => number;
};

/** Channel of notifications. Databases have channels of their own. */
const channel = "cadastre_registry";

/** Returns the statement that notifies all listeners. */
export const announcement = `select pg_notify('${channel}', '')`;

/** Returns the same methods. Those that are listed call `announce` when they have changed something. */
export function announcing<Methods extends TableMethods>(
  methods: Methods,
  changing: readonly (keyof Methods & string)[],
  announce: () => Promise<void>,
): Methods {
  const announced = changing.map((name) => [
    name,
    async (...args: never[]) => {
      const result = await methods[name]?.(...args);
      await announce();
      return result;
    },
  ]);
  return { ...methods, ...(Object.fromEntries(announced) as Partial<Methods>) };
}

/** Delay before a lost connection is opened again, in milliseconds. */
const reopenAfter = 500;

/** Longest time that closing waits for a server that does not answer, in milliseconds. */
const closeWithin = 1000;

/** Listens on a connection of its own. Behind a pooler in transaction mode nothing is heard. */
export function createChangeListener(
  connection: PostgresConnectionOptions["connection"],
): RegistryChanges & { readonly stop: () => Promise<void> } {
  let revision = 0;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let close: () => Promise<void> = async () => {};

  async function open(): Promise<void> {
    // Users of SQLite need not have `pg` installed.
    const { default: pg } = await import("pg");
    if (isStopped) return;
    const options = typeof connection === "string" ? { connectionString: connection } : connection;
    const client = new pg.Client({ ...options, keepAlive: true } as import("pg").ClientConfig);
    client.on("notification", () => void revision++);
    client.on("error", () => {});
    client.once("end", reopen);
    close = () => Promise.race([client.end().catch(() => {}), pause(closeWithin, undefined, { ref: false })]);
    await client.connect();
    await client.query(`listen ${channel}`);
    // A change may have been announced while nobody listened.
    revision++;
  }

  function reopen(): void {
    if (isStopped || timer !== undefined) return;
    timer = setTimeout(() => {
      timer = undefined;
      open().catch(reopen);
    }, reopenAfter);
    timer.unref();
  }

  return {
    follow: () => void open().catch(reopen),
    revision: () => revision,
    stop: async () => {
      isStopped = true;
      clearTimeout(timer);
      await close();
    },
  };
}
