import { inspectEntitlement } from "@cadastre/entitlement";
import { openTrust } from "../../access/trust.ts";
import { checkSecrets } from "../../check/check-registry.ts";
import { findingCodes } from "../../check/findings.ts";
import { migrationTables, tablesWorkerWrites, textArray } from "../../data/postgres-roles.ts";
import { faultOfPlace, partsRoot } from "../../delivery/parts-place.ts";
import { type Diagnosis, type DoctorCheck, mend, type RegistryContext, sound, warn } from "./diagnosis.ts";

/** Checks of the registry and of what it depends on. */
export const registryChecks: readonly DoctorCheck[] = [
  // First: it names the role that other checks may not have the rights for.
  { name: "roles", needs: "registry", run: checkRoles },
  { name: "secrets", needs: "keys", run: checkOwnSecrets },
  { name: "trust", needs: "registry", run: checkTrust },
  { name: "entitlements", needs: "registry", run: checkEntitlements },
  { name: "keys", needs: "keys", run: checkKeys },
  { name: "parts", needs: "registry", run: checkPlace },
];

/** Result in place of the checks of API keys for a role that may not read them, such as that of a worker. */
export const keysUnread = warn(
  "the user of the database may not read the API keys, as is right for workers",
  "to check the keys too, run `cadastre doctor` with the address of cadastre_service",
);

/** True if the role of the database may read API keys. A statement that it may not run would end the transaction of all checks. */
export async function mayReadKeys({ audit, folder }: RegistryContext): Promise<boolean> {
  if (folder.postgres === undefined) return true;
  const right = audit.prepare<{ readonly may: boolean }>(
    "cadastre_registry",
    `select has_column_privilege('cadastre_registry.cadastre_api_key', 'digest', 'select') as "may"`,
  );
  for await (const { may } of right.rows()) return may;
  return false;
}

async function* checkOwnSecrets({ audit, config, folder }: RegistryContext): AsyncGenerator<Diagnosis> {
  let faults = 0;
  for await (const { code, subject, detail } of checkSecrets(audit, folder)) {
    faults++;
    yield mend(`${subject}: ${detail}`, findingCodes[code]);
  }
  const place = config.secretSources.masterKeys === undefined ? "" : ", sealed by a master key";
  if (faults === 0) yield sound(`they belong to the registry${place}`);
}

async function* checkTrust({ config, folder }: RegistryContext): AsyncGenerator<Diagnosis> {
  const trust = await openTrust(config, folder);
  try {
    const size = trust.keys.size();
    yield size === 0
      ? mend(
          "the key set is empty: no entitlement can be verified",
          "`cadastre entitlement keygen --jwks <file>`",
        )
      : sound(`${size} ${size === 1 ? "key" : "keys"} of ${trust.issuer}`);
  } finally {
    trust.keys.close();
  }
}

const day = 86_400_000;

/** Time before the end of an entitlement from which it is told, in days. */
const soon = 14;

async function* checkEntitlements({ audit, now }: RegistryContext): AsyncGenerator<Diagnosis> {
  let count = 0;
  for await (const { customer, jws } of audit.entitlements()) {
    count++;
    const left = inspectEntitlement(jws).document.exp * 1000 - now;
    const remedy = "`cadastre entitlement sign` and `cadastre entitlement install <file>`";
    if (left <= 0) yield mend(`the entitlement of ${customer} has expired`, remedy);
    else if (left < soon * day)
      yield warn(`the entitlement of ${customer} ends in ${Math.ceil(left / day)} days`, remedy);
  }
  yield count === 0
    ? warn("no customer has an entitlement", "`cadastre customer add <customer> --help`")
    : sound(`${count} installed`);
}

type KeyUse = { readonly customer: string; readonly used: unknown };

async function* checkKeys({ audit, now }: RegistryContext): AsyncGenerator<Diagnosis> {
  const keys = audit.prepare<KeyUse>(
    "cadastre_api_key",
    `select customer, last_used as "used" from cadastre_api_key where (expires is null or expires > ?) and (revoked is null or revoked > ?)`,
  );
  const known = new Set<string>();
  let unused = 0;
  for await (const { customer, used } of keys.rows(now, now)) {
    known.add(customer);
    if (used === null) unused++;
  }
  for await (const { customer } of audit.entitlements())
    if (!known.has(customer))
      yield mend(`${customer} has an entitlement and no key`, `\`cadastre key create ${customer}\``);
  if (unused > 0)
    yield warn(
      unused === 1 ? "1 key was never used" : `${unused} keys were never used`,
      "`cadastre key list`, and `cadastre key revoke <id>`",
    );
  yield sound(known.size === 1 ? "1 customer has keys" : `${known.size} customers have keys`);
}

async function* checkPlace({ audit, config, folder }: RegistryContext): AsyncGenerator<Diagnosis> {
  // A registry that no service was started with has no id; a folder with a marker is not its own.
  const id = (await audit.id()) ?? "none";
  const root = partsRoot(config, folder);
  const fault = config.partsBucket === undefined ? await faultOfPlace(root, id, audit) : undefined;
  yield fault === undefined
    ? sound(config.partsBucket === undefined ? root : "in a bucket")
    : mend(`${root} is not the folder of this registry's parts: ${fault}`, findingCodes.parts_foreign);
}

/** First version of PostgreSQL that is supported. */
const leastPostgres = 140_000;

type ServerRow = {
  readonly version: string;
  readonly user: string;
  readonly admin: boolean;
  readonly creates: boolean;
  /** True if the user may write records. Null if there are none yet. */
  readonly writes: boolean | null;
};

type MissingRight = { readonly name: string };

/** Tables that the user of the database may not write although its role, which is told by its right to read API keys, writes them. */
const unwritable = `select c.relname as "name" from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p') and n.nspname in ('cadastre', 'cadastre_registry')
    and case when has_table_privilege('cadastre_registry.cadastre_api_key', 'select')
      then c.relname <> all (${textArray(Object.values(migrationTables).flat())}) else c.relname = any (${textArray(tablesWorkerWrites)}) end
    and not has_table_privilege(c.oid, 'insert') order by 1`;

async function* checkRoles({ audit, config, folder }: RegistryContext): AsyncGenerator<Diagnosis> {
  if (folder.postgres === undefined) {
    yield sound("SQLite has none");
    return;
  }
  const server = audit.prepare<ServerRow>(
    "cadastre_registry",
    `select current_setting('server_version_num') as "version", rolname as "user", rolsuper as "admin", has_schema_privilege('cadastre_registry', 'create') as "creates", has_table_privilege(to_regclass('cadastre.cadastre_commit'), 'insert') as "writes" from pg_roles where rolname = current_user`,
  );
  const missing: string[] = [];
  for await (const { name } of audit.prepare<MissingRight>("cadastre_registry", unwritable).rows())
    missing.push(name);
  for await (const { version, user, admin, creates, writes } of server.rows()) {
    if (missing.length > 0)
      yield mend(
        `${user} may not write ${missing.join(", ")}`,
        "`cadastre init roles > roles.sql`, and `psql -f roles.sql` as the owner of the tables: after each upgrade",
      );
    if (Number(version) < leastPostgres)
      yield mend(`PostgreSQL ${version} is too old`, "upgrade to PostgreSQL 14 or later");
    yield admin || creates
      ? warn(
          `${user} may change tables${admin ? ", and is a superuser" : ""}`,
          "`cadastre init roles`, and the address of cadastre_service in `database.url`",
        )
      : sound(`${user} may ${writes === false ? "read records" : "read and write rows"} alone`);
    if (writes === false && config.runsFeeds)
      yield warn(
        `${user} may not write records, so feeds do not run in its processes`,
        "run one `cadastre worker` as cadastre_service, and set `CADASTRE_FEEDS=false` here",
      );
  }
}
