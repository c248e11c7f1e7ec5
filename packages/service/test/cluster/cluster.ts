import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { bucketRegion, makeCustomer, startRadosgw } from "@cadastre/delivery/testing";
import { freePort, startHaproxy, startPgbouncer } from "@cadastre/odata/testing";
import type { WritableStore } from "@cadastre/store";
import { dataFolderAt, openDataFolder } from "../../src/data/data-folder.ts";
import { databasesOf } from "../../src/data/databases.ts";
import { toMasterKeys } from "../../src/data/master-key.ts";
import { withRegistry } from "../../src/data/registry.ts";
import { openSigningKeys } from "../../src/delivery/signing-keys.ts";
import { idOf } from "../../src/demo/customers.ts";
import { prepareDemo } from "../support/prepare-demo.ts";
import { end, type Program, says, startProgram } from "../support/program.ts";
import type { Served } from "./clients.ts";
import { type DatabaseCluster, startDatabaseCluster } from "./databases.ts";
import { createNamespace, type Namespace } from "./namespaces.ts";

const nodeCount = 3;
const workerCount = 2;
const connectionsOfPooler = 20;
const customer = "national";

/** Nodes of the service and workers, on databases that replicate, behind a proxy. */
export type Cluster = {
  readonly served: Served;
  readonly databases: DatabaseCluster;
  /** A store that writes to the primary, like an ingest. */
  readonly store: WritableStore;
  /** Returns the checkpoint that a delivery was asked for at. */
  readonly checkpointOf: (delivery: string) => Promise<number>;
  readonly nodes: readonly Member[];
  readonly workers: readonly Member[];
  readonly stop: () => Promise<void>;
};

/** A program of the cluster. */
type Member = {
  /** Kills the program, and starts it again after a time in milliseconds. */
  readonly killAndRestart: (milliseconds: number) => Promise<void>;
  /** Stops the program in an orderly way, and starts it again. */
  readonly restart: () => Promise<void>;
  /** Cuts the program off from the network for a time in milliseconds. Undefined if it has no namespace. */
  readonly cutOff: ((milliseconds: number) => Promise<void>) | undefined;
  readonly output: () => string;
  readonly stop: () => Promise<void>;
};

/** Starts everything. Everything listens on all addresses of this machine if nodes have namespaces, else on loopback. */
export async function startCluster(listings: number): Promise<Cluster> {
  const scratch = await mkdtemp(join(tmpdir(), "cadastre-cluster-"));
  const closing: (() => unknown)[] = [() => rm(scratch, { recursive: true, force: true })];
  try {
    const namespaces = Array.from({ length: nodeCount }, (_, i) => createNamespace(i + 1));
    for (const namespace of namespaces) closing.push(() => namespace?.remove());
    const host = namespaces.every((namespace) => namespace !== undefined) ? "0.0.0.0" : "127.0.0.1";
    const databases = await startDatabaseCluster(host);
    closing.push(databases.stop);
    // Nodes have no file of their own: their secrets are sealed in the registry.
    const masterKey = randomBytes(32).toString("base64");
    const folder = await openDataFolder(
      join(scratch, "prepared"),
      { url: databases.url },
      { masterKeys: toMasterKeys(masterKey), given: {} },
    );
    const keys = await prepareDemo(folder, listings);
    await withRegistry(folder, (registry) => openSigningKeys(folder, registry));
    const apiKey = keys.find(({ name }) => name === customer)?.apiKey ?? "";
    const pooler = await startPgbouncer(databases.url, connectionsOfPooler);
    closing.push(pooler.stop);
    const parts = await startParts(closing);
    const nodePort = await freePort();
    const ports = await Promise.all(namespaces.map(() => freePort()));
    const [port, poolerPort, partsPort] = [await freePort(), await freePort(), await freePort()];
    const proxy = await startHaproxy(`
defaults
  timeout connect 2s
  timeout client 60s
  timeout server 60s
frontend pooler
  mode tcp
  bind ${host}:${poolerPort}
  default_backend pooler
backend pooler
  mode tcp
  timeout server 1h
  server pooler 127.0.0.1:${new URL(pooler.url).port}
${
  parts === undefined
    ? ""
    : `
frontend parts
  mode tcp
  bind ${host}:${partsPort}
  default_backend parts
backend parts
  mode tcp
  server parts 127.0.0.1:${parts.port}`
}
frontend service
  mode http
  bind 127.0.0.1:${port}
  default_backend nodes
backend nodes
  mode http
  balance roundrobin
  option httpchk GET /health/ready
  default-server check inter 500 fall 2 rise 1
${namespaces.map((namespace, i) => `  server node${i} ${addressOf(namespace)}:${namespace === undefined ? ports[i] : nodePort}`).join("\n")}`);
    closing.push(proxy.stop);

    const environmentAt = (name: string, namespace: Namespace | undefined) => {
      const own = dataFolderAt(join(scratch, name));
      const from = (url: string) => {
        const address = new URL(url);
        address.hostname = namespace?.outside ?? "127.0.0.1";
        return address;
      };
      const database = from(databases.url);
      database.port = String(poolerPort);
      return {
        CADASTRE_DATA: own.path,
        CADASTRE_PARTS: parts === undefined ? folder.exports : own.exports,
        ...(parts && {
          ...parts.environment,
          CADASTRE_PARTS_ENDPOINT: `http://${namespace?.outside ?? "127.0.0.1"}:${partsPort}`,
        }),
        CADASTRE_DATABASE_URL: database.href,
        CADASTRE_READ_URLS: databases.members.map((member) => from(member).href).join(),
        CADASTRE_MASTER_KEY: masterKey,
        CADASTRE_DATABASE_STATEMENTS: "unnamed",
        CADASTRE_BASE_URL: `http://127.0.0.1:${port}`,
        CADASTRE_REQUESTS_PER_SECOND: "0",
        CADASTRE_SCAN_SECONDS: "3600",
        CADASTRE_LEASE_SECONDS: "5",
        CADASTRE_CHECK_HOURS: "0",
        CADASTRE_LOG_LEVEL: "warn",
        CADASTRE_WORKER: "false",
      };
    };
    const nodes: Member[] = [];
    for (const [i, namespace] of namespaces.entries()) {
      const environment = {
        ...environmentAt(`node${i}`, namespace),
        HOST: namespace?.inside ?? "127.0.0.1",
        PORT: String(namespace === undefined ? ports[i] : nodePort),
      };
      const start = () => startProgram("main.ts", [], environment, { prefix: namespace?.prefix ?? [] });
      nodes.push(await startMember(start, "Stop with Ctrl-C.", namespace));
    }
    const workers: Member[] = [];
    for (let i = 0; i < workerCount; i++) {
      const environment = environmentAt(`worker${i}`, undefined);
      const start = () => startProgram("cli/main.ts", ["worker"], environment);
      workers.push(await startMember(start, "Stop with Ctrl-C.", undefined));
    }
    for (const member of [...nodes, ...workers]) closing.push(member.stop);
    const store = await databasesOf(folder).openListings({ threads: 0 });
    closing.push(store.close);
    return {
      served: { baseUrl: `http://127.0.0.1:${port}`, apiKey },
      databases,
      store,
      checkpointOf: (delivery) =>
        withRegistry(folder, async ({ deliveries }) => {
          const found = await deliveries.find(idOf({ name: customer }), delivery);
          if (found === undefined) throw new RangeError(`there is no delivery ${delivery}`);
          return found.toCheckpoint;
        }),
      nodes,
      workers,
      stop: () => closeAll(closing),
    };
  } catch (error) {
    await closeAll(closing);
    throw error;
  }
}

/** Starts an object store for the parts of deliveries. Undefined if they are files: radosgw takes half a minute to start. */
async function startParts(
  closing: (() => unknown)[],
): Promise<{ readonly port: string; readonly environment: Readonly<Record<string, string>> } | undefined> {
  if (process.env["RADOSGW"] !== "required") return undefined;
  const server = await startRadosgw();
  closing.push(server.stop);
  const owner = await makeCustomer(server);
  closing.push(owner.close);
  return {
    port: new URL(server.endpoint).port,
    environment: {
      CADASTRE_PARTS_BUCKET: `s3://${owner.bucket}/parts`,
      CADASTRE_PARTS_REGION: bucketRegion,
      AWS_ACCESS_KEY_ID: server.owner.accessKeyId,
      AWS_SECRET_ACCESS_KEY: server.owner.secretAccessKey,
    },
  };
}

async function closeAll(closing: readonly (() => unknown)[]): Promise<void> {
  for (const close of closing.toReversed()) await close();
}

const addressOf = (namespace: Namespace | undefined): string => namespace?.inside ?? "127.0.0.1";

async function startMember(
  start: () => Promise<Program>,
  ready: string,
  namespace: Namespace | undefined,
): Promise<Member> {
  let [program, earlier] = [await start(), ""];
  await says(program, ready);
  /** Starts the program again, as a supervisor does: until it runs. */
  const again = async () => {
    for (;;)
      try {
        earlier += program.output();
        program = await start();
        await says(program, ready);
        return;
      } catch {
        await setTimeout(1000);
      }
  };
  return {
    killAndRestart: async (milliseconds) => {
      await end(program, "SIGKILL");
      await setTimeout(milliseconds);
      await again();
    },
    restart: async () => {
      await end(program, "SIGTERM");
      await again();
    },
    cutOff:
      namespace &&
      (async (milliseconds) => {
        namespace.cut();
        await setTimeout(milliseconds);
        namespace.join();
      }),
    output: () => earlier + program.output(),
    stop: async () => {
      if (program.child.exitCode === null && program.child.signalCode === null) await end(program, "SIGKILL");
    },
  };
}
