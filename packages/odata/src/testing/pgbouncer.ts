import { chownSync, existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./free-port.ts";
import { isRoot, serverUser, untilReady } from "./postgres.ts";
import { startProcess } from "./server-process.ts";

/** A pooler in transaction mode: each transaction of a client may have another connection to the server. */
export type Pgbouncer = {
  /** URL of the server's database through the pooler. */
  readonly url: string;
  readonly stop: () => Promise<void>;
};

const program = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/usr/local/bin/pgbouncer"].find((one) =>
  existsSync(one),
);

/** True if {@link startPgbouncer} has a program to start. */
export const hasPgbouncer: boolean = program !== undefined && (!isRoot || serverUser() !== undefined);

/**
 * Starts a pooler on a free loopback port.
 *
 * @param url URL of a database of the server
 * @param connections maximum number of connections of each user to the server
 * @param users users that may connect, without a password
 */
export async function startPgbouncer(
  url: string,
  connections: number,
  users: readonly string[] = ["postgres"],
): Promise<Pgbouncer> {
  if (program === undefined) throw new Error("PgBouncer is not installed");
  const folder = mkdtempSync(join(tmpdir(), "pgbouncer-"));
  const user = serverUser();
  const [server, port] = [new URL(url), await freePort()];
  const [settings, list] = [join(folder, "pgbouncer.ini"), join(folder, "users.txt")];
  writeFileSync(list, users.map((name) => `"${name}" ""\n`).join(""));
  writeFileSync(
    settings,
    `[databases]
* = host=${server.hostname} port=${server.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${list}
pool_mode = transaction
default_pool_size = ${connections}
max_client_conn = 1000
`,
  );
  if (user !== undefined) for (const path of [folder, settings, list]) chownSync(path, user.uid, user.gid);
  const { child, log, stop } = startProcess(
    program,
    ["--quiet", settings],
    { cwd: folder, ...user },
    "SIGTERM",
  );
  const pooled = new URL(url);
  pooled.port = String(port);
  try {
    await untilReady(pooled.href, () => child.exitCode !== null);
  } catch {
    await stop();
    throw new Error(`pgbouncer does not start: ${log()}`);
  }
  return { url: pooled.href, stop };
}
