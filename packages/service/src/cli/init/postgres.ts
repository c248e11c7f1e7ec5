import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type ConnectingRole,
  connectingRoles,
  createDatabase,
  newAddress,
  type RoleAddresses,
  setUpRoles,
} from "../../data/set-up-postgres.ts";
import { writePrivate } from "../entitlement/files.ts";
import { CommandRefused, printMessage } from "../outcome.ts";

/** Names of the files beside the settings that keep addresses with passwords, and what each address is for. */
export const addressFiles = {
  service: { name: "database-url", isFor: "the service" },
  owner: { name: "database-url-owner", isFor: "commands that change tables" },
  worker: { name: "database-url-worker", isFor: "workers that run no feeds" },
} as const satisfies Readonly<Record<ConnectingRole, { readonly name: string; readonly isFor: string }>>;

/**
 * Creates a database in PostgreSQL with its roles and tables, and writes the addresses of the roles to files in `folder`. What an earlier
 * run that failed has made is used again.
 *
 * @param admin address of a user who may create databases and roles
 * @param createTables creates the tables by the address of their owner
 * @returns the addresses of the roles
 */
export async function createPostgresDatabase(
  admin: string,
  folder: string,
  createTables: (url: string) => Promise<void>,
): Promise<RoleAddresses> {
  const kept = new Map<ConnectingRole, string>();
  for (const role of connectingRoles) {
    const file = join(folder, addressFiles[role].name);
    if (existsSync(file)) kept.set(role, await readKept(file, admin));
  }
  await createDatabase(admin, [...kept.keys()]);
  const addresses: Partial<Record<ConnectingRole, string>> = {};
  for (const role of connectingRoles) {
    addresses[role] = kept.get(role) ?? newAddress(admin, role);
    if (!kept.has(role)) await writePrivate(join(folder, addressFiles[role].name), addresses[role]);
  }
  const made = addresses as RoleAddresses;
  await setUpRoles(admin, made);
  await createTables(made.owner);
  await setUpRoles(admin, made);
  for (const { name, isFor } of Object.values(addressFiles))
    printMessage(`Address of the database for ${isFor}: ${join(folder, name)}`);
  return made;
}

/** Reads an address that an earlier run wrote. @throws {CommandRefused} if it is of another database */
async function readKept(file: string, admin: string): Promise<string> {
  const text = (await readFile(file, "utf8")).trim();
  const [kept, given] = [text, admin].map((url) => (URL.canParse(url) ? new URL(url) : undefined));
  if (kept?.host === given?.host && kept?.pathname === given?.pathname) return text;
  throw new CommandRefused(
    `${file} exists, and is the address of another database: move it away, or correct --admin-url`,
  );
}
