/** Names of the tables of the registry that a worker writes. It reads all tables of both schemas, but not the digests of API keys. */
export const tablesWorkerWrites = [
  "cadastre_acknowledgement",
  "cadastre_damage",
  "cadastre_delivery",
  "cadastre_delivery_part",
  "cadastre_delivery_request",
  "cadastre_destination",
  "cadastre_destination_bucket",
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

/** Returns statements that psql makes by a query, one for each of the tables that exist, and runs. */
const forTables = (schema: string, tables: readonly string[], statement: string, role: string): string =>
  `select format('${statement}', '${schema}', name, :'${role}')
  from unnest(${textArray(tables)}) as name where to_regclass(format('%I.%I', '${schema}', name)) is not null
\\gexec`;

/** Roles of the database, with the variable of psql that names each. */
const roles = {
  owner: "creates and changes the tables: `cadastre init`, `migrate`, `field add`, `system learn`",
  service: "serves, ingests and publishes: `cadastre serve` and the other commands",
  worker:
    "builds deliveries: `cadastre worker`. It may not write records, so feeds need a worker with the role of the service",
  reader:
    "reads the records and changes nothing: standbys and reports. It sees every record: no entitlement restricts it",
} as const;

const names = Object.keys(roles);

/**
 * SQL for `psql` that creates the roles of a database and grants each what it needs. It can be run again, and has no password: roles are
 * created without one.
 */
export const rolesSql = `-- Roles of a Cadastre database, with the least rights that each needs:
--
${Object.entries(roles)
  .map(([name, does]) => `--   ${name.padEnd(8)}${does}`)
  .join("\n")}
--
-- Run it in the database of the service, as a user who may create roles, before the first \`cadastre migrate\`; and again, as the same user
-- or the owner, after each: then it also grants what concerns single tables. To give the roles other names:
--
--   psql "$URL" -v owner=… -v service=… -v worker=… -v reader=… -f roles.sql
--
-- Roles that it creates have no password. Set one by \`\\password cadastre_service\`, or have pg_hba.conf ask for certificates.
\\set ON_ERROR_STOP on
${names.map((name) => `\\if :{?${name}}\n\\else\n\\set ${name} cadastre_${name}\n\\endif`).join("\n")}

${names
  .map(
    (name) =>
      `select format('create role %I login', :'${name}') where not exists (select from pg_roles where rolname = :'${name}')
\\gexec`,
  )
  .join("\n")}

begin;
select format(statement, current_database(), :'owner', :'service', :'worker', :'reader')
  from pg_database, unnest(array[
    'revoke all on database %1$I from public',
    'grant connect on database %1$I to %2$I, %3$I, %4$I, %5$I',
    'grant create on database %1$I to %2$I'
  ]) as statement
  where datname = current_database() and pg_has_role(datdba, 'usage')
\\gexec
${Object.keys(migrationTables)
  .map(
    (schema) =>
      `select format('create schema ${schema} authorization %I', :'owner') where to_regnamespace('${schema}') is null
\\gexec`,
  )
  .join("\n")}

-- The service: reads and writes rows, and changes no table. What says which migrations were run is for the owner to change.
grant usage on schema ${schemas} to :"service";
grant select, insert, update, delete, truncate on all tables in schema ${schemas} to :"service";
grant usage, select on all sequences in schema ${schemas} to :"service";
alter default privileges for role :"owner" in schema ${schemas} grant select, insert, update, delete, truncate on tables to :"service";
alter default privileges for role :"owner" in schema ${schemas} grant usage, select on sequences to :"service";
${Object.entries(migrationTables)
  .map(([schema, tables]) =>
    forTables(schema, tables, "revoke insert, update, delete, truncate on %I.%I from %I", "service"),
  )
  .join("\n")}

-- The worker: reads records and entitlements, writes deliveries. It locks a customer by
-- writing the same name again, and of API keys it sees which peppers they need.
grant usage on schema ${schemas} to :"worker";
grant select on all tables in schema ${schemas} to :"worker";
alter default privileges for role :"owner" in schema ${schemas} grant select on tables to :"worker";
${forTables("cadastre_registry", tablesWorkerWrites, "grant insert, update, delete on %I.%I to %I", "worker")}
${forTables("cadastre_registry", ["cadastre_customer"], "grant update (name) on %I.%I to %I", "worker")}
${forTables("cadastre_registry", ["cadastre_api_key"], "revoke select on %I.%I from %I", "worker")}
${forTables("cadastre_registry", ["cadastre_api_key"], "grant select (pepper, expires, revoked) on %I.%I to %I", "worker")}

-- The reader: records alone. The registry has digests of keys and sealed secrets.
grant usage on schema cadastre to :"reader";
grant select on all tables in schema cadastre to :"reader";
alter default privileges for role :"owner" in schema cadastre grant select on tables to :"reader";
select format('alter role %I set default_transaction_read_only = on', rolname) from pg_roles
  where rolname = :'reader' and not coalesce('default_transaction_read_only=on' = any (rolconfig), false)
\\gexec
commit;
`;
