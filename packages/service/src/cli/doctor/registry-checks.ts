import { inspectEntitlement } from "@cadastre/entitlement";
import { openTrust } from "../../access/trust.ts";
import { checkSecrets } from "../../check/check-registry.ts";
import { findingCodes } from "../../check/findings.ts";
import { faultOfPlace, partsRoot } from "../../delivery/parts-place.ts";
import { type Diagnosis, type DoctorCheck, mend, type RegistryContext, sound, warn } from "./diagnosis.ts";

/** Checks of the registry and of what it depends on. */
export const registryChecks: readonly DoctorCheck[] = [
  { name: "secrets", needs: "registry", run: checkOwnSecrets },
  { name: "trust", needs: "registry", run: checkTrust },
  { name: "entitlements", needs: "registry", run: checkEntitlements },
  { name: "keys", needs: "registry", run: checkKeys },
  { name: "parts", needs: "registry", run: checkPlace },
  { name: "deliveries", needs: "registry", run: checkBacklog },
  { name: "feeds", needs: "registry", run: checkFeeds },
  { name: "roles", needs: "registry", run: checkRoles },
];

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
    ? warn("no customer has an entitlement", "`cadastre entitlement install <file>`")
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

/** Time that a delivery may be due and not begun, in milliseconds. */
const longestWait = 600_000;

async function* checkBacklog({ audit, config, now }: RegistryContext): AsyncGenerator<Diagnosis> {
  const late = audit.prepare<{ id: string }>(
    "cadastre_delivery",
    "select id from cadastre_delivery where state in ('queued', 'building', 'sealed', 'publishing') and due < ?",
  );
  let count = 0;
  for await (const _ of late.rows(now - longestWait)) count++;
  yield count > 0
    ? mend(
        `${count} deliveries have waited for a worker for over 10 minutes`,
        config.worker ? "start the service, or `cadastre worker`" : "`cadastre worker`",
      )
    : sound("none waits");
}

type FeedState = {
  readonly name: string;
  readonly failures: number;
  readonly error: string | null;
  readonly due: number | string;
  readonly leased: number | string;
};

async function* checkFeeds({ audit, config, now }: RegistryContext): AsyncGenerator<Diagnosis> {
  const active = audit.prepare<FeedState>(
    "cadastre_feed",
    `select name, failures, last_error as "error", due, leased from cadastre_feed where state = 'active' order by name`,
  );
  let count = 0;
  let late = 0;
  for await (const { name, failures, error, due, leased } of active.rows()) {
    count++;
    if (failures > 0)
      yield mend(
        `the last ${failures === 1 ? "run" : `${failures} runs`} of the feed ${name} failed: ${error}`,
        `\`cadastre feed try ${name}\`, and \`cadastre feed change ${name}\``,
      );
    if (Math.max(Number(due), Number(leased)) < now - longestWait) late++;
  }
  if (late > 0)
    yield mend(
      `${late} ${late === 1 ? "feed has" : "feeds have"} waited for a worker for over 10 minutes`,
      config.runsFeeds && config.worker ? "start the service, or `cadastre worker`" : "`cadastre worker`",
    );
  yield sound(count === 0 ? "none is to run" : `${count} to run`);
}

/** First version of PostgreSQL that is supported. */
const leastPostgres = 140_000;

type ServerRow = {
  readonly version: string;
  readonly user: string;
  readonly admin: boolean;
  readonly creates: boolean;
};

async function* checkRoles({ audit, folder }: RegistryContext): AsyncGenerator<Diagnosis> {
  if (folder.postgres === undefined) {
    yield sound("SQLite has none");
    return;
  }
  const server = audit.prepare<ServerRow>(
    "cadastre_registry",
    `select current_setting('server_version_num') as "version", rolname as "user", rolsuper as "admin", has_schema_privilege('cadastre_registry', 'create') as "creates" from pg_roles where rolname = current_user`,
  );
  for await (const { version, user, admin, creates } of server.rows()) {
    if (Number(version) < leastPostgres)
      yield mend(`PostgreSQL ${version} is too old`, "upgrade to PostgreSQL 14 or later");
    yield admin || creates
      ? warn(
          `${user} may change tables${admin ? ", and is a superuser" : ""}`,
          "`cadastre init roles`, and the address of cadastre_service in `database.url`",
        )
      : sound(`${user} may read and write rows alone`);
  }
}
