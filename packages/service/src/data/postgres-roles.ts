import type { PostgresQuery } from "@cadastre/store/postgres";

/** Names of the tables of the registry that a worker writes. It reads all tables of both schemas, but not the digests of API keys. */
export const tablesWorkerWrites = [
  "cadastre_acknowledgement",
  "cadastre_damage",
  "cadastre_delivery",
  "cadastre_delivery_document",
  "cadastre_delivery_part",
  "cadastre_delivery_request",
  "cadastre_destination",
  "cadastre_destination_bucket",
  "cadastre_event",
  "cadastre_event_log",
  "cadastre_manifest",
  "cadastre_part_bytes",
  "cadastre_part_grant",
  "cadastre_subscription",
  "cadastre_webhook",
  "cadastre_webhook_message",
  "cadastre_worker",
] as const;

/** Names of the tables that say which migrations were run. Their owner alone changes them. */
export const migrationTables = {
  cadastre: ["cadastre_migration", "cadastre_schema"],
  cadastre_registry: ["cadastre_registry_migration"],
} as const;

export const textArray = (names: readonly string[]): string =>
  `array[${names.map((name) => `'${name}'`).join(", ")}]`;

const schemas = Object.keys(migrationTables).join(", ");

/**
 * A statement on the roles. `:'owner'` and `:"owner"` stand for the name of a role, as a text and as an identifier: psql and
 * {@link createRoles} replace them.
 */
type RoleStatement = {
  readonly sql: string;
  /** True for a query whose results are the statements to run. */
  readonly makesStatements: boolean;
};

const run = (sql: string): RoleStatement => ({ sql, makesStatements: false });
const runResults = (sql: string): RoleStatement => ({ sql, makesStatements: true });

/** Runs a statement for each of the tables that exist. */
const forTables = (
  schema: string,
  tables: readonly string[],
  statement: string,
  role: string,
): RoleStatement =>
  runResults(`select format('${statement}', '${schema}', name, :'${role}')
  from unnest(${textArray(tables)}) as name where to_regclass(format('%I.%I', '${schema}', name)) is not null`);

/** Roles of the database, with the variable of psql that names each. */
const roles = {
  owner: "creates and changes the tables: `cadastre init`, `migrate`, `field add`, `system learn`",
  service: "serves, ingests and publishes: `cadastre serve` and the other commands",
  worker:
    "builds deliveries: `cadastre worker`. It may not write records, so feeds need a worker with the role of the service",
  reader:
    "reads the records and changes nothing: standbys and reports. It sees every record: no entitlement restricts it",
} as const;

export type DatabaseRole = keyof typeof roles;

const roleNames = Object.keys(roles) as readonly DatabaseRole[];

/** Returns the name that a role has in the database by default. */
export const defaultName = (role: DatabaseRole): string => `cadastre_${role}`;

/** Statements that create the roles and grant each what it needs. They can be run again, in one transaction. */
const statements: readonly RoleStatement[] = [
  ...roleNames.map((role) =>
    runResults(
      `select format('create role %I login', :'${role}') where not exists (select from pg_roles where rolname = :'${role}')`,
    ),
  ),
  // Who is no superuser must be a member of the owner to create what belongs to it.
  runResults(
    `select format('grant %I to %I', :'owner', current_user) where not pg_has_role(:'owner', 'usage')`,
  ),
  runResults(`select format(statement, current_database(), :'owner', :'service', :'worker', :'reader')
  from pg_database, unnest(array[
    'revoke all on database %1$I from public',
    'grant connect on database %1$I to %2$I, %3$I, %4$I, %5$I',
    'grant create on database %1$I to %2$I'
  ]) as statement
  where datname = current_database() and pg_has_role(datdba, 'usage')`),
  ...Object.keys(migrationTables).map((schema) =>
    runResults(
      `select format('create schema ${schema} authorization %I', :'owner') where to_regnamespace('${schema}') is null`,
    ),
  ),
  run(`-- The service: reads and writes rows, and changes no table. What says which migrations were run is for the owner to change.
grant usage on schema ${schemas} to :"service"`),
  run(`grant select, insert, update, delete, truncate on all tables in schema ${schemas} to :"service"`),
  run(`grant usage, select on all sequences in schema ${schemas} to :"service"`),
  run(
    `alter default privileges for role :"owner" in schema ${schemas} grant select, insert, update, delete, truncate on tables to :"service"`,
  ),
  run(
    `alter default privileges for role :"owner" in schema ${schemas} grant usage, select on sequences to :"service"`,
  ),
  ...Object.entries(migrationTables).map(([schema, tables]) =>
    forTables(schema, tables, "revoke insert, update, delete, truncate on %I.%I from %I", "service"),
  ),
  run(`-- The worker: reads records and entitlements, writes deliveries. It locks a customer by
-- writing the same name again, and of API keys it sees which peppers they need.
grant usage on schema ${schemas} to :"worker"`),
  run(`grant select on all tables in schema ${schemas} to :"worker"`),
  run(`alter default privileges for role :"owner" in schema ${schemas} grant select on tables to :"worker"`),
  forTables("cadastre_registry", tablesWorkerWrites, "grant insert, update, delete on %I.%I to %I", "worker"),
  forTables("cadastre_registry", ["cadastre_customer"], "grant update (name) on %I.%I to %I", "worker"),
  forTables("cadastre_registry", ["cadastre_api_key"], "revoke select on %I.%I from %I", "worker"),
  forTables(
    "cadastre_registry",
    ["cadastre_api_key"],
    "grant select (pepper, expires, revoked) on %I.%I to %I",
    "worker",
  ),
  run(`-- The reader: records alone. The registry has digests of keys and sealed secrets.
grant usage on schema cadastre to :"reader"`),
  run(`grant select on all tables in schema cadastre to :"reader"`),
  run(`alter default privileges for role :"owner" in schema cadastre grant select on tables to :"reader"`),
  runResults(`select format('alter role %I set default_transaction_read_only = on', rolname) from pg_roles
  where rolname = :'reader' and not coalesce('default_transaction_read_only=on' = any (rolconfig), false)`),
];

/**
 * SQL for `psql` that creates the roles of a database and grants each what it needs. It can be run again, and has no password: roles are
 * created without one.
 */
export const rolesSql = `-- Roles of a Cadastre database, with the least rights that each needs:
--
${Object.entries(roles)
  .map(([role, does]) => `--   ${role.padEnd(8)}${does}`)
  .join("\n")}
--
-- Run it in the database of the service, as a user who may create roles, before the first \`cadastre migrate\`; and again, as the same user
-- or the owner, after each: then it also grants what concerns single tables. To give the roles other names:
--
--   psql "$URL" -v owner=… -v service=… -v worker=… -v reader=… -f roles.sql
--
-- Roles that it creates have no password. Set one by \`\\password cadastre_service\`, or have pg_hba.conf ask for certificates.
\\set ON_ERROR_STOP on
${roleNames.map((role) => `\\if :{?${role}}\n\\else\n\\set ${role} ${defaultName(role)}\n\\endif`).join("\n")}

begin;
${statements
  .map(
    ({ sql, makesStatements }) =>
      `${sql.startsWith("--") ? "\n" : ""}${sql}${makesStatements ? "\n\\gexec" : ";"}`,
  )
  .join("\n")}
commit;
`;

/** Creates the roles that are missing, with their default names and without passwords, and grants each what it needs. */
export async function createRoles(query: PostgresQuery): Promise<void> {
  for (const { sql, makesStatements } of statements) {
    const text = sql.replaceAll(
      /:(['"])(\w+)\1/g,
      (_, quote: string, role: DatabaseRole) => `${quote}${defaultName(role)}${quote}`,
    );
    if (makesStatements) await runResultsOf(query, text);
    else await query(text);
  }
}

/** Runs the statements that a query selects in its first column. */
export async function runResultsOf(
  query: PostgresQuery,
  text: string,
  values: readonly unknown[] = [],
): Promise<void> {
  for (const { statement } of await query<{ statement: string }>(
    `select made.statement from (${text}) as made (statement)`,
    values,
  ))
    await query(statement);
}
