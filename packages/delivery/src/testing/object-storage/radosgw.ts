import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { freePort } from "@cadastre/odata/testing";
import { startGatewayProxy } from "./gateway-proxy.ts";
import { type Policy, readPolicy, withoutKms } from "./policy.ts";
import {
  bucketRegion,
  customerAccount,
  kmsKeyArns,
  type ObjectServer,
  type Role,
  rolePath,
  type StorageKeys,
  servicePrincipal,
} from "./server.ts";

const programs = ["ceph", "ceph-mon", "ceph-osd", "monmaptool", "radosgw", "radosgw-admin"];

/** True if the programs for {@link startRadosgw} are installed. */
const hasRadosgw: boolean = programs.every(
  (program) => spawnSync("which", [program], { stdio: "ignore" }).status === 0,
);

const service: StorageKeys = { accessKeyId: "SERVICE0", secretAccessKey: "service-secret" };
const owner: StorageKeys = { accessKeyId: "OWNER000", secretAccessKey: "owner-secret" };

/** Time limit for a program of Ceph, and for a daemon until it is ready, in milliseconds. */
const retryPolicy = 60_000;

/** Time limit for {@link startRadosgw}, retries included, in milliseconds. */
export const radosgwStart = 400_000;

/**
 * Starts Ceph's object gateway on free loopback ports, with one monitor and one OSD that keeps everything in memory. An AWS account
 * is a tenant there. The gate adds what the gateway lacks: see {@link startGatewayProxy}.
 */
export async function startRadosgw(): Promise<ObjectServer> {
  if (!hasRadosgw) throw new Error("no radosgw is installed");
  for (let attempt = 1; ; attempt++)
    try {
      return await startCluster();
    } catch (error) {
      // Another program may have taken the port in the meantime.
      if (attempt === 3) throw error;
    }
}

async function startCluster(): Promise<ObjectServer> {
  const folder = mkdtempSync(join(tmpdir(), "radosgw-"));
  for (const name of ["mon", "osd", "log", "run", "rgw"]) mkdirSync(join(folder, name));
  const [monitorPort, port] = [await freePort(), await freePort()];
  const cluster = randomUUID();
  writeFileSync(join(folder, "ceph.conf"), configuration(folder, cluster, monitorPort, port));
  const env = { PATH: process.env["PATH"], CEPH_CONF: join(folder, "ceph.conf") };

  const run = (program: string, ...args: string[]): string => {
    const { status, stdout, stderr } = spawnSync(program, args, {
      env,
      cwd: folder,
      encoding: "utf8",
      timeout: retryPolicy,
    });
    if (status !== 0) throw new Error(`${program} ${args[0]}: ${stderr.slice(-2000)}`);
    return stdout;
  };
  const children: ChildProcess[] = [];
  const start = (program: string, ...args: string[]) =>
    children.push(spawn(program, [...args, "-f"], { env, cwd: folder, stdio: "ignore" }));
  const until = (isReady: () => boolean | Promise<boolean>) => untilReady(children, isReady);
  const kill = () => {
    // No data is kept, so the daemons need no orderly end.
    for (const child of children) child.kill("SIGKILL");
  };
  process.once("exit", kill);
  const stop = async () => {
    const alive = children.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
    const ended = alive.map((child) => new Promise((resolve) => void child.once("exit", resolve)));
    kill();
    await Promise.all(ended);
    process.removeListener("exit", kill);
    rmSync(folder, { recursive: true, force: true });
  };

  try {
    run(
      "monmaptool",
      "--create",
      "--addv",
      "a",
      `[v1:127.0.0.1:${monitorPort}]`,
      "--fsid",
      cluster,
      "monmap",
    );
    run("ceph-mon", "-i", "a", "--mkfs", "--monmap", "monmap");
    start("ceph-mon", "-i", "a");
    await until(() => run("ceph", "--connect-timeout", "2", "-s") !== "");
    const osd = randomUUID();
    run("ceph", "osd", "new", osd);
    run("ceph-osd", "-i", "0", "--mkfs", "--osd-uuid", osd);
    start("ceph-osd", "-i", "0");
    await until(() => run("ceph", "osd", "stat").includes("1 up"));
    const [, , , , serviceAccount = ""] = servicePrincipal.split(":");
    for (const [tenant, uid, keys] of [
      [serviceAccount, "cadastre", service],
      [customerAccount, "owner", owner],
    ] as const) {
      const given = ["--access-key", keys.accessKeyId, "--secret", keys.secretAccessKey];
      run(
        "radosgw-admin",
        "user",
        "create",
        "--tenant",
        tenant,
        "--uid",
        uid,
        "--display-name",
        uid,
        ...given,
      );
    }
    // The zone group exists since the first user was created.
    const group = JSON.parse(run("radosgw-admin", "zonegroup", "get")) as object;
    writeFileSync(join(folder, "group.json"), JSON.stringify({ ...group, api_name: bucketRegion }));
    run("radosgw-admin", "zonegroup", "set", "--infile", "group.json");
    start("radosgw", "-n", "client.rgw");
    await until(
      async () => (await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(5_000) })).ok,
    );
  } catch (error) {
    const logs = readdirSync(join(folder, "log")).map((name) => logEnd(join(folder, "log", name)));
    await stop();
    throw new Error(`radosgw does not start: ${logs.join("\n")}`, { cause: error });
  }

  const gate = await startGatewayProxy(port, service);
  return {
    endpoint: gate.endpoint,
    service,
    owner,
    makeRole: (role) => {
      const arn = `arn:aws:iam::${customerAccount}:role${rolePath}${role.name}`;
      const trust = readPolicy(role.trust);
      makeRole(run, role, JSON.stringify(withoutConditions(trust)));
      gate.trust(arn, trust);
      return arn;
    },
    failWhen: gate.failWhen,
    knowsIfNoneMatch: false,
    isOwnersWhatRolesWrite: false,
    stop: async () => {
      await gate.stop();
      await stop();
    },
  };
}

const logEnd = (file: string): string => `${basename(file)}: ${readFileSync(file, "utf8").slice(-1500)}`;

type Run = (program: string, ...args: string[]) => string;

function makeRole(run: Run, { name, permissions }: Role, trust: string): void {
  const named = ["--tenant", customerAccount, "--role-name", name];
  run("radosgw-admin", "role", "create", ...named, "--path", rolePath, "--assume-role-policy-doc", trust);
  const known = JSON.stringify(withoutKms(readPolicy(permissions)));
  run("radosgw-admin", "role-policy", "put", ...named, "--policy-name", "push", "--policy-doc", known);
}

/** Removes conditions from a policy, because the gateway would never find one on the external id fulfilled. */
const withoutConditions = ({ Version, Statement }: Policy): Policy => ({
  Version,
  Statement: Statement.map((statement) => ({ ...statement, Condition: undefined })),
});

async function untilReady(
  daemons: readonly ChildProcess[],
  isReady: () => boolean | Promise<boolean>,
): Promise<void> {
  for (const deadline = Date.now() + retryPolicy; ; ) {
    let cause: unknown;
    try {
      if (await isReady()) return;
    } catch (error) {
      cause = error;
    }
    if (daemons.some(({ exitCode }) => exitCode !== null)) throw new Error("a daemon has ended", { cause });
    if (Date.now() > deadline) throw new Error("it takes too long", { cause });
    await setTimeout(100);
  }
}

const configuration = (folder: string, cluster: string, monitorPort: number, port: number): string => {
  const encryptionKeys = kmsKeyArns.map((arn, i) => `${arn}=${Buffer.alloc(32, i + 1).toString("base64")}`);
  return `[global]
fsid = ${cluster}
mon_host = v1:127.0.0.1:${monitorPort}
mon_initial_members = a
auth_cluster_required = none
auth_service_required = none
auth_client_required = none
run_dir = ${folder}/run
log_file = ${folder}/log/$name.log
admin_socket = ${folder}/run/$name.$pid.asok
osd_pool_default_size = 1
osd_pool_default_min_size = 1
mon_warn_on_pool_no_redundancy = false
mon_allow_pool_size_one = true
osd_crush_chooseleaf_type = 0
osd_pool_default_pg_num = 4
osd_pool_default_pgp_num = 4
mon_max_pg_per_osd = 1000
osd_pool_default_pg_autoscale_mode = off
ms_bind_msgr2 = false
public_network = 127.0.0.0/8
cluster_network = 127.0.0.0/8
mon_data_avail_crit = 1
mon_data_avail_warn = 1
[mon.a]
mon_data = ${folder}/mon
[osd]
osd_objectstore = memstore
memstore_device_bytes = 1073741824
osd_data = ${folder}/osd
osd_class_load_list = *
osd_class_default_list = *
[client.rgw]
rgw_frontends = beast endpoint=127.0.0.1:${port}
rgw_data = ${folder}/rgw
rgw_s3_auth_use_sts = true
rgw_sts_key = abcdefghijklmnop
rgw_crypt_require_ssl = false
rgw_crypt_s3_kms_backend = testing
rgw_crypt_s3_kms_encryption_keys = ${encryptionKeys.join(" ")}
rgw_enable_usage_log = false
rgw_thread_pool_size = 32
`;
};
