import { setTimeout } from "node:timers/promises";
import {
  freePort,
  type Haproxy,
  type PostgresServer,
  startHaproxy,
  startPostgres,
} from "@cadastre/odata/testing";
import pg from "pg";

/** Number of servers: one primary and two standbys. */
const size = 3;

/** PostgreSQL servers behind a proxy with fixed addresses, of which one is the primary. */
export type DatabaseCluster = {
  /** Address that leads to whichever server is the primary. */
  readonly url: string;
  /** Addresses of the single servers, the primary's among them. */
  readonly members: readonly string[];
  /** Runs SQL on the primary, not through the proxy. */
  readonly onPrimary: (sql: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Stops a random standby from applying what it receives, for a time in milliseconds. */
  readonly pauseReplay: (standby: number, milliseconds: number) => Promise<void>;
  /** Cuts the connections of the nodes to a standby, and refuses new ones, for a time in milliseconds. */
  readonly cutStandby: (standby: number, milliseconds: number) => Promise<void>;
  /**
   * Kills the primary, promotes the standby that has received most, has the other one follow it, and starts a new standby in place of the dead
   * server.
   */
  readonly failOver: () => Promise<void>;
  readonly stop: () => Promise<void>;
};

type Slot = { server: PostgresServer; readonly port: number };

/**
 * Starts the servers. Commits wait until a standby has received them, so that none that was acknowledged is lost when the primary dies.
 *
 * @param host address that the proxy listens on
 */
export async function startDatabaseCluster(host: string): Promise<DatabaseCluster> {
  const primary = await startPostgres();
  const slots: Slot[] = [];
  let first = 0;
  const port = await freePort();
  for (let i = 0; i < size; i++)
    slots.push({ server: i === 0 ? primary : await primary.startStandby(), port: await freePort() });
  const proxy = await startHaproxy(configurationOf(host, port, slots));
  await setPrimary(proxy, slots, first);
  await requireAcknowledgement(primary);
  const standbys = () => slots.filter((_, i) => i !== first);
  const standby = (i: number): Slot => standbys()[i % (size - 1)] ?? unreachable();
  const leader = (): Slot => slots[first] ?? unreachable();
  const urlAt = (at: number) =>
    primary.url.replace(/@[^/]*/, `@${host === "0.0.0.0" ? "127.0.0.1" : host}:${at}`);

  return {
    url: urlAt(port),
    members: slots.map((slot) => urlAt(slot.port)),
    onPrimary: (sql) => query(leader().server, sql),
    pauseReplay: async (i, milliseconds) => {
      const { server } = standby(i);
      await query(server, "select pg_wal_replay_pause()");
      await setTimeout(milliseconds);
      await query(server, "select pg_wal_replay_resume()");
    },
    cutStandby: async (i, milliseconds) => {
      const name = memberName(slots.indexOf(standby(i)));
      await proxy.command(`set server ${name} state maint`);
      await proxy.command(`shutdown sessions server ${name}`);
      await setTimeout(milliseconds);
      await proxy.command(`set server ${name} state ready`);
    },
    failOver: async () => {
      const dead = leader();
      await dead.server.crash();
      const next = await mostReceived(slots.filter((slot) => slot !== dead));
      await query(next.server, "select pg_wal_replay_resume()");
      await query(next.server, "select pg_promote()");
      first = slots.indexOf(next);
      await setPrimary(proxy, slots, first);
      for (const { server } of standbys().filter((slot) => slot !== dead)) await follow(server, next.server);
      await requireAcknowledgement(next.server);
      await dead.server.stop();
      dead.server = await next.server.startStandby();
      const name = memberName(slots.indexOf(dead));
      await proxy.command(`set server ${name} addr 127.0.0.1 port ${portOf(dead.server)}`);
      await proxy.command(
        `set server primary/${name.split("/")[1]} addr 127.0.0.1 port ${portOf(dead.server)}`,
      );
    },
    stop: async () => {
      await proxy.stop();
      for (const { server } of slots) await server.stop();
    },
  };
}

const memberName = (i: number) => `member${i}/server${i}`;

const portOf = ({ url }: PostgresServer) => new URL(url).port;

function unreachable(): never {
  throw new RangeError("there is no such server");
}

const configurationOf = (host: string, port: number, slots: readonly Slot[]) => `
defaults
  mode tcp
  timeout connect 2s
  timeout client 1h
  timeout server 1h
frontend primary
  bind ${host}:${port}
  default_backend primary
backend primary
${slots.map(({ server }, i) => `  server server${i} 127.0.0.1:${portOf(server)} disabled`).join("\n")}
${slots.map((slot, i) => `frontend member${i}\n  bind ${host}:${slot.port}\n  default_backend member${i}\nbackend member${i}\n  server server${i} 127.0.0.1:${portOf(slot.server)}`).join("\n")}`;

/** Leads the proxy's address of the primary to one server, and ends the connections to the others. */
async function setPrimary(proxy: Haproxy, slots: readonly Slot[], first: number): Promise<void> {
  for (const i of slots.keys()) {
    await proxy.command(`set server primary/server${i} state ${i === first ? "ready" : "maint"}`);
    if (i !== first) await proxy.command(`shutdown sessions server primary/server${i}`);
  }
}

/** Has commits wait for a standby, and keeps the log that a standby may still need. */
async function requireAcknowledgement(server: PostgresServer): Promise<void> {
  await query(server, "alter system set synchronous_standby_names = 'any 1 (*)'");
  await query(server, "alter system set wal_keep_size = '1GB'");
  // The setting of the server's command line is weaker than that of the role.
  await query(server, "alter role all set synchronous_commit = 'on'");
  await query(server, "select pg_reload_conf()");
}

async function follow(standby: PostgresServer, primary: PostgresServer): Promise<void> {
  const address = `host=127.0.0.1 port=${portOf(primary)} user=postgres`;
  await query(standby, `alter system set primary_conninfo = '${address}'`);
  await query(standby, "alter system set synchronous_standby_names = ''");
  await query(standby, "select pg_reload_conf()");
}

/** Returns the server that has received most of the log. */
async function mostReceived(slots: readonly Slot[]): Promise<Slot> {
  const received = await Promise.all(
    slots.map(async (slot) => {
      const [row] = await query(
        slot.server,
        "select (greatest(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()) - '0/0')::text as bytes",
      );
      return { slot, bytes: BigInt(String(row?.["bytes"])) };
    }),
  );
  return received.reduce((most, one) => (one.bytes > most.bytes ? one : most)).slot;
}

async function query(
  { url }: PostgresServer,
  sql: string,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const client = new pg.Client({ connectionString: url });
  // A server that is killed meanwhile ends the connection: the query fails then.
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query<Readonly<Record<string, unknown>>>(sql)).rows;
  } finally {
    await client.end();
  }
}
