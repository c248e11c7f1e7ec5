import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createAuthority,
  hasOpenssl,
  hasPostgres,
  type PostgresServer,
  startPostgres,
} from "@cadastre/odata/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { withDataFolder } from "../src/data/data-error.ts";
import { openDataFolder } from "../src/data/data-folder.ts";
import { databasesOf } from "../src/data/databases.ts";

describe.skipIf(!hasPostgres || !hasOpenssl)("TLS to PostgreSQL", () => {
  let server: PostgresServer;
  let clear: PostgresServer;
  let scratch: string;
  const port = (of: PostgresServer) => new URL(of.url).port;
  beforeAll(async () => {
    const [authority, other] = [createAuthority(), createAuthority()];
    server = await startPostgres({
      ...authority.certify("database.internal"),
      authority: authority.certificate,
      users: ["certified"],
    });
    clear = await startPostgres();
    const control = server.connect(1);
    await control.query("create role certified superuser login");
    await control.end();
    scratch = await mkdtemp(join(tmpdir(), "cadastre-tls-"));
    const [user, foreign] = [authority.certify("certified"), other.certify("certified")];
    const files = {
      authority: authority.certificate,
      other: other.certificate,
      none: "none",
      key: user.key,
      certificate: user.certificate,
      foreignKey: foreign.key,
      foreign: foreign.certificate,
    };
    for (const [name, text] of Object.entries(files)) await writeFile(join(scratch, name), text);
  });
  afterAll(async () => {
    await server.stop();
    await clear.stop();
    await rm(scratch, { recursive: true, force: true });
  });

  const file = (name: string) => join(scratch, name);
  const encrypted = (parameters: string, user = "postgres") =>
    `postgres://${user}:dont-tell@localhost:${port(server)}/postgres?${parameters}`;
  const certified = (key: string, certificate: string) =>
    encrypted(`sslmode=no-verify&sslkey=${file(key)}&sslcert=${file(certificate)}`, "certified");
  const opening = async (url: string) => {
    const folder = await openDataFolder(join(scratch, "data"), { url });
    return withDataFolder(folder.path, () => databasesOf(folder).hasListings());
  };

  test.each<[string, () => string]>([
    ["an encrypted connection that proves nothing", () => encrypted("sslmode=no-verify")],
    ["a user's certificate", () => certified("key", "certificate")],
  ])("%s is taken", async (_, url) => {
    expect(await opening(url())).toBe(false);
  });

  test.each<[string, () => string, RegExp]>([
    [
      "another authority",
      () => encrypted(`sslmode=verify-full&sslrootcert=${file("other")}`),
      /has a certificate that is not trusted: name its authority with `sslrootcert=<file>`/,
    ],
    [
      "no authority",
      () => encrypted("sslmode=verify-full"),
      /has a certificate that is not trusted: name its authority/,
    ],
    [
      "another name",
      () => encrypted(`sslmode=verify-full&sslrootcert=${file("authority")}`),
      /has a certificate for another name than the host in CADASTRE_DATABASE_URL: .*\(ERR_TLS_CERT_ALTNAME_INVALID\)$/,
    ],
    [
      "an authority that is no certificate",
      () => encrypted(`sslmode=verify-full&sslrootcert=${file("none")}`),
      /has a certificate that is not trusted: name its authority/,
    ],
    [
      "an authority that is no file",
      () => encrypted(`sslmode=verify-full&sslrootcert=${file("absent")}`),
      /needs a file that cannot be read: correct `sslrootcert`, `sslcert` and `sslkey` in CADASTRE_DATABASE_URL \(ENOENT\)$/,
    ],
    [
      "no user's certificate",
      () => encrypted("sslmode=no-verify", "certified"),
      /refuses the user: .* `sslcert` and `sslkey`.*\(28000\)$/,
    ],
    [
      "a user's certificate of another authority",
      () => certified("foreignKey", "foreign"),
      /does not trust the certificate in `sslcert`: /,
    ],
    [
      "a key that is not the certificate's",
      () => certified("foreignKey", "certificate"),
      /cannot use `sslcert` and `sslkey`: the key must be that of the certificate, both in PEM/,
    ],
    [
      "a server that does not encrypt",
      () => `postgres://postgres:dont-tell@localhost:${port(clear)}/postgres?sslmode=verify-full`,
      /does not encrypt connections: set `ssl = on` in its `postgresql.conf`/,
    ],
  ])("%s: the message says what to do, without the password", async (_, url, message) => {
    const outcome = opening(url());
    await expect(outcome).rejects.toThrow(message);
    await expect(outcome).rejects.toMatchObject({ name: "DataError" });
    await expect(outcome).rejects.not.toThrow("dont-tell");
  });
});
