import { createHash, createHmac, pbkdf2Sync, randomBytes } from "node:crypto";
import { type PostgresQuery, withPostgresConnection } from "@cadastre/store/postgres";
import { DataError } from "./data-error.ts";
import { addressName, withRemedies } from "./postgres-databases.ts";
import { createRoles, type DatabaseRole, defaultName, runResultsOf } from "./postgres-roles.ts";

/** Roles that programs connect as. The reader, which no program of Cadastre uses, gets no password. */
export const connectingRoles = ["service", "owner", "worker"] as const satisfies readonly DatabaseRole[];

export type ConnectingRole = (typeof connectingRoles)[number];

/** Addresses of one database, each with the name and the password of a role. */
export type RoleAddresses = Readonly<Record<ConnectingRole, string>>;

/** Databases that every server has. They are for its administration. */
export const administrationDatabases: readonly string[] = ["postgres", "template0", "template1"];

/** Returns the address of a role in the database of an administrator, with a new random password. */
export function newAddress(admin: string, role: ConnectingRole): string {
  const url = new URL(admin);
  url.username = defaultName(role);
  url.password = randomBytes(24).toString("base64url");
  // The certificate proves who the administrator is.
  for (const parameter of ["user", "password", "sslcert", "sslkey"]) url.searchParams.delete(parameter);
  return url.href;
}

/**
 * Creates the database that an administrator's address names if it does not exist, and checks that it can be set up.
 *
 * @param known roles whose passwords the caller has
 * @throws {DataError} if the database or a role is used by something else, or the user may not create it
 */
export async function createDatabase(admin: string, known: readonly ConnectingRole[]): Promise<void> {
  const name = decodeURI(new URL(admin).pathname.slice(1));
  const unknown = connectingRoles.filter((role) => !known.includes(role)).map(defaultName);
  await asAdministrator(inDatabase(admin, "postgres"), async (query) => {
    const [role] = await query<{ name: string }>(
      "select rolname as name from pg_roles where rolname = any ($1) order by 1",
      [unknown],
    );
    if (role !== undefined)
      throw new DataError(
        `the server ${new URL(admin).host} has a role ${role.name} already, whose password is not replaced: drop the role if nothing uses it. If another database of Cadastre uses it, create roles of other names with the SQL of \`cadastre init roles\`, and give \`--database-url\` in place of \`--admin-url\``,
      );
    await runResultsOf(
      query,
      `select format('create database %I encoding ''UTF8'' template template0', name)
        from unnest(array[$1::text]) as name where not exists (select from pg_database where datname = name)`,
      [name],
    );
  });
  await asAdministrator(admin, async (query) => {
    const [schema] = await query<{ owner: string }>(
      "select pg_get_userbyid(nspowner) as owner from pg_namespace where nspname in ('cadastre', 'cadastre_registry') and pg_get_userbyid(nspowner) <> $1",
      [defaultName("owner")],
    );
    if (schema !== undefined)
      throw new DataError(
        `${addressName(admin)} has tables of Cadastre, which belong to ${schema.owner}: give \`--database-url\` in place of \`--admin-url\`, or the address of a new database`,
      );
  });
}

/**
 * Creates the roles that are missing, with the passwords of their addresses, and grants each what it needs. To be called again when there
 * are tables: then it also grants what concerns single ones.
 *
 * @param admin address of a user who may create roles
 */
export const setUpRoles = (admin: string, addresses: RoleAddresses): Promise<void> =>
  asAdministrator(admin, async (query) => {
    await query("begin");
    const roles = await query<{ name: string }>("select rolname as name from pg_roles");
    const existing = new Set(roles.map(({ name }) => name));
    await createRoles(query);
    for (const role of connectingRoles)
      if (!existing.has(defaultName(role)))
        await runResultsOf(query, "select format('alter role %I password %L', $1::text, $2::text)", [
          defaultName(role),
          scramVerifier(new URL(addresses[role]).password),
        ]);
    await query("commit");
  });

/** Returns what a server keeps of a password, in place of the password, which its log may show. Source: RFC 5803. */
function scramVerifier(password: string): string {
  const iterations = 4096;
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, iterations, 32, "sha256");
  const keyOf = (name: string) => createHmac("sha256", salted).update(name).digest();
  const storedKey = createHash("sha256").update(keyOf("Client Key")).digest("base64");
  const serverKey = keyOf("Server Key").toString("base64");
  return `SCRAM-SHA-256$${iterations}:${salt.toString("base64")}$${storedKey}:${serverKey}`;
}

function inDatabase(address: string, name: string): string {
  const url = new URL(address);
  url.pathname = name;
  return url.href;
}

const asAdministrator = (address: string, work: (query: PostgresQuery) => Promise<void>): Promise<void> => {
  const name = addressName(address);
  return withRemedies(
    name,
    () =>
      withPostgresConnection(address, work).catch((error: unknown) => {
        throw isRightRefused(error)
          ? new DataError(
              `${name} refuses this to its user: give the address of one who may create databases and roles, such as \`postgres\`, as --admin-url (${insufficientPrivilege})`,
              { cause: error },
            )
          : error;
      }),
    "--admin-url",
  );
};

/** Error code of PostgreSQL for a right that the user lacks. */
const insufficientPrivilege = "42501";

const isRightRefused = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === insufficientPrivilege;
