import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createAuthority,
  hasOpenssl,
  hasPostgres,
  type PostgresServer,
  startPostgres,
} from "@cadastre/odata/testing";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPostgresStore } from "../src/postgres/index.ts";
import { askHomes, homeRecord, homesResource } from "./support/homes.ts";

/** The first bytes of a connection that asks for encryption. Source: PostgreSQL, "Message Formats", SSLRequest. */
const sslRequest = "0000000804d2162f";

describe.skipIf(!hasPostgres || !hasOpenssl)("a store over TLS", () => {
  let server: PostgresServer;
  let scratch: string;
  let control: pg.Pool;
  let wire: Server;
  /** The first message of each connection through `wire`, in hexadecimal. */
  const firstMessages: string[] = [];
  const urls: Record<string, string> = {};
  beforeAll(async () => {
    const authority = createAuthority();
    server = await startPostgres({
      ...authority.certify("localhost", ["DNS:localhost"]),
      authority: authority.certificate,
      users: ["certified"],
    });
    control = server.connect(2);
    await control.query("create role certified superuser login");
    scratch = await mkdtemp(join(tmpdir(), "cadastre-tls-"));
    const user = authority.certify("certified");
    const files = { authority: authority.certificate, key: user.key, certificate: user.certificate };
    for (const [name, text] of Object.entries(files)) await writeFile(join(scratch, name), text);
    const port = Number(new URL(server.url).port);
    wire = createServer((client) => {
      const upstream = connect(port, "127.0.0.1");
      client.once("data", (bytes) => firstMessages.push(bytes.toString("hex")));
      client.pipe(upstream).pipe(client);
      for (const [socket, other] of [
        [client, upstream],
        [upstream, client],
      ] as const)
        socket.on("error", () => {}).once("close", () => other.destroy());
    });
    await new Promise<void>((resolve) => void wire.listen(0, "127.0.0.1", resolve));
    const { port: through } = wire.address() as AddressInfo;
    const verified = `sslmode=verify-full&sslrootcert=${join(scratch, "authority")}`;
    const own = `sslcert=${join(scratch, "certificate")}&sslkey=${join(scratch, "key")}`;
    urls["a server's certificate"] = `postgres://postgres@localhost:${through}/postgres?${verified}`;
    urls["certificates of both"] = `postgres://certified@localhost:${through}/postgres?${verified}&${own}`;
    const store = await openPostgresStore({ connection: server.url, resources: [homesResource] });
    await store.commit([homeRecord({ key: "h1", rank: 1, town: "here", place: null })]);
    await store.close();
  });
  afterAll(async () => {
    await control.end();
    await new Promise((resolve) => wire.close(resolve));
    await server.stop();
    await rm(scratch, { recursive: true, force: true });
  });

  test.each(["a server's certificate", "certificates of both"])(
    "with %s: reads, and sends its cancel request encrypted",
    async (name) => {
      firstMessages.length = 0;
      const store = await openPostgresStore({
        connection: urls[name] ?? "",
        connections: 1,
        resources: [homesResource],
        timeout: 60_000,
      });
      const locking = await control.connect();
      try {
        expect((await store.page(askHomes({}))).length).toBe(1);
        await locking.query('begin; lock table cadastre."Home" in access exclusive mode');
        const active = async () => {
          const { rows } = await control.query<{ ssl: boolean }>(
            "select ssl from pg_stat_activity join pg_stat_ssl using (pid) where state = 'active' and pid <> pg_backend_pid() and query like '%Home%'",
          );
          return rows;
        };
        const before = firstMessages.length;
        const giveUp = new AbortController();
        const given = store.page(askHomes({}), { signal: giveUp.signal });
        await expect.poll(active).toEqual([{ ssl: true }]);
        giveUp.abort();
        await expect(given).rejects.toMatchObject({ code: "query_canceled" });
        expect(await active()).toEqual([]);
        // Connections for cancel requests: of the read, and of its first attempt if that took longer than a page may.
        expect([before + 1, before + 2]).toContain(firstMessages.length);
        expect(new Set(firstMessages)).toEqual(new Set([sslRequest]));
        await locking.query("rollback");
        expect((await store.page(askHomes({}))).length).toBe(1);
      } finally {
        await locking.query("rollback");
        locking.release();
        await store.close();
      }
    },
  );

  test("a user who must show a certificate is refused without one", async () => {
    const url = (urls["certificates of both"] ?? "").replace(/&sslcert=.*/, "");
    await expect(openPostgresStore({ connection: url, resources: [homesResource] })).rejects.toMatchObject({
      code: "28000",
    });
  });
});
