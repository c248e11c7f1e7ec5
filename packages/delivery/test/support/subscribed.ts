import { generateKeyPairSync } from "node:crypto";
import { join } from "node:path";
import type { Scope } from "@cadastre/entitlement";
import { signManifest } from "@cadastre/manifest";
import type { WritableStore } from "@cadastre/store";
import { openSqliteStore } from "@cadastre/store/sqlite";
import type { CrashPoint } from "../../src/build/crash-point.ts";
import {
  createScheduler,
  createSubscriptions,
  createWorker,
  type Delivery,
  type Domain,
  type ExportSource,
  folderParts,
  type OutputProfile,
  type PartStore,
  type SchedulerOptions,
  type Subscription,
  type Subscriptions,
  type WorkReport,
} from "../../src/index.ts";
import { deliveredDatasets, profileOf } from "../../src/profiles/profile.ts";
import type { Scheduler } from "../../src/subscriptions/scheduler.ts";
import { type Copy, Follower } from "../../src/testing/follower.ts";
import { openSqliteTestRegistry, type TestRegistry } from "../../src/testing/registry.ts";
import { changeOf, type Edit, type Granted, marketSource, resources, scopeOf } from "./market.ts";

const { privateKey } = generateKeyPairSync("ed25519");

export const hour = 3_600_000;
export const day = 24 * hour;

export type SubscribedOptions = {
  /** By default so small that most deliveries have several parts. */
  readonly partBytes?: number;
  /** By default `listing`. */
  readonly domain?: Domain;
};

/** A service with one customer and a clock that the test sets. */
export class Subscribed {
  readonly registry: TestRegistry;
  readonly store: WritableStore;
  readonly source: ExportSource;
  readonly parts: PartStore;
  readonly subscriptions: Subscriptions;
  /** The source's `basis`: identifies the inputs of records that have no checkpoint. */
  basis = "first";
  now = Date.UTC(2026, 0, 1, 9);
  profile: OutputProfile;
  #scope: Scope;
  readonly #partBytes: number;
  #profiles: readonly OutputProfile[];
  readonly #scopes = new Map<string, Scope>();

  private constructor(
    registry: TestRegistry,
    store: WritableStore,
    parts: PartStore,
    granted: Granted,
    { partBytes = 600, domain = "listing" }: SubscribedOptions,
  ) {
    this.registry = registry;
    this.store = store;
    this.source = { ...marketSource(store), basis: async () => this.basis };
    this.parts = parts;
    this.#scope = scopeOf(1, granted);
    this.#scopes.set(this.#scope.scopeSha256, this.#scope);
    this.#partBytes = partBytes;
    this.profile = profileFor(domain, 1, "*", partBytes);
    this.#profiles = [this.profile];
    this.subscriptions = createSubscriptions({
      registry: registry.subscriptions,
      source: this.source,
      profiles: this.#profiles,
      clock: () => this.now,
    });
  }

  static async open(folder: string, granted: Granted, options: SubscribedOptions = {}): Promise<Subscribed> {
    const registry = await openSqliteTestRegistry({ file: join(folder, "registry.sqlite") });
    const store = await openSqliteStore({ file: join(folder, "store.sqlite"), resources, threads: 0 });
    await registry.entitlements.install({ customer: "customer", version: 1, jws: "1", installed: 0 });
    return new Subscribed(registry, store, folderParts(join(folder, "parts")), granted, options);
  }

  async close(): Promise<void> {
    await this.registry.close();
    await this.store.close();
  }

  get caller() {
    return { scope: this.#scope, apiKey: "01" };
  }

  edit(edits: readonly Edit[]): Promise<unknown> {
    return this.store.commit(edits.map(changeOf));
  }

  /** Installs another entitlement, which may grant the same. */
  async grant(granted: Granted): Promise<void> {
    const version = this.#scope.version + 1;
    this.#scope = scopeOf(version, granted);
    this.#scopes.set(this.#scope.scopeSha256, this.#scope);
    await this.registry.entitlements.install({
      customer: "customer",
      version,
      jws: String(version),
      installed: 0,
    });
  }

  /** Changes the fields of the output profile. */
  reprofile(fields: OutputProfile["fields"]): void {
    this.profile = profileFor(this.profile.domain, this.profile.version + 1, fields, this.#partBytes);
    this.#profiles = [this.profile];
  }

  subscribe(more: Partial<Parameters<Subscriptions["create"]>[1]> = {}): Promise<Subscription> {
    const { domain } = this.profile;
    const request = { name: "one", domain, deliveryMode: "pull", cadenceSeconds: 86_400 } as const;
    return this.subscriptions
      .create(this.caller, { ...request, ...more })
      .then(({ subscription }) => subscription);
  }

  /** Creates a scheduler that works only when `tick` is called. */
  scheduler(more: Partial<SchedulerOptions> = {}): Scheduler {
    return createScheduler({
      registry: this.registry.subscriptions,
      source: this.source,
      profiles: this.#profiles,
      scopeOf: async () => this.#scope,
      clock: () => this.now,
      ...more,
    });
  }

  /** Runs one tick in several schedulers concurrently. */
  async tick(schedulers = 1): Promise<void> {
    const faults: unknown[] = [];
    const report: SchedulerOptions["report"] = ({ outcome, cause }) => {
      if (outcome === "failed") faults.push(cause);
    };
    await Promise.all(Array.from({ length: schedulers }, () => this.scheduler({ report }).tick()));
    if (faults.length > 0) throw faults[0];
  }

  /** Builds the delivery that has waited longest. With `crash`, dies when the point is met again after it was passed `after` times. */
  async work(crash?: {
    readonly point: CrashPoint;
    readonly after: number;
  }): Promise<WorkReport | undefined> {
    const { queue } = this.registry.deliveries;
    let [passed, isDead] = [0, false];
    const whileAlive = Object.entries(queue).map(([name, method]) => [
      name,
      (...args: never[]) =>
        isDead ? Promise.reject(new Error("dead")) : (method as (...args: never[]) => unknown)(...args),
    ]);
    const mortal = Object.fromEntries(whileAlive) as typeof queue;
    const worker = createWorker({
      ledger: {
        ...this.registry.deliveries,
        queue: {
          ...mortal,
          // The lease of a worker that dies has expired when the next one looks.
          claim: (name, terms) => mortal.claim(name, crash === undefined ? terms : { ...terms, lease: -1 }),
        },
      },
      source: this.source,
      parts: this.parts,
      scopeOf: async () => this.#scope,
      sign: (bytes) => signManifest(bytes, { privateKey, kid: "test" }),
      name: "worker",
      attempts: 1000,
      backoff: 0,
      clock: () => this.now,
      at: (point) => {
        if (point !== crash?.point || passed++ < crash.after) return;
        isDead = true;
        throw new Error(`died at ${point}`);
      },
    });
    return worker.work();
  }

  /** Builds all waiting deliveries. */
  async workAll(): Promise<void> {
    for (let report = await this.work(); report !== undefined; report = await this.work())
      if (!["complete", "canceled"].includes(report.outcome)) throw report.cause ?? new Error(report.outcome);
  }

  follower(): Follower {
    return new Follower({ ledger: this.registry.deliveries, parts: this.parts });
  }

  /** Returns the complete deliveries of a subscription that a follower has not applied, in order. */
  async unread(id: string, { last }: Follower): Promise<readonly Delivery[]> {
    const all = await this.registry.subscriptions.deliveries("customer", id, 10_000);
    const complete = all.filter(({ state }) => state === "complete").toReversed();
    const at = complete.findIndex((delivery) => delivery.manifestSha256 === last?.sha256);
    return complete.slice(at + 1);
  }

  /** Returns the copy that must result from a delivery: everything that the scope of that time shows as of its checkpoint. */
  async view({ scopeSha256, toCheckpoint, pinned }: Delivery): Promise<Copy> {
    const scope = this.#scopes.get(scopeSha256);
    if (scope === undefined) throw new Error("the scope is of no test");
    const { profile } = JSON.parse(pinned) as { readonly profile: OutputProfile };
    const view = new Map<string, Map<string, string>>();
    for (const { name: dataset, keyField, columns } of deliveredDatasets(this.source, scope, profile)) {
      const names = columns.map(({ name }) => name);
      const request = { dataset, scope, columns: names, checkpoint: toCheckpoint, from: null };
      const own = new Map<string, string>();
      for await (const { lines } of this.source.read(request))
        for (const line of Buffer.from(lines).toString().split("\n").slice(0, -1))
          own.set((JSON.parse(line) as Readonly<Record<string, string>>)[keyField] ?? "", line);
      view.set(dataset, own);
    }
    return view;
  }
}

const profileFor = (
  domain: Domain,
  version: number,
  fields: OutputProfile["fields"],
  partBytes: number,
): OutputProfile =>
  profileOf({
    id: "small",
    version,
    domain,
    fields,
    format: "jsonl",
    compression: "none",
    partBytes,
    removalReason: version % 2 === 1,
  });

/** Converts a copy to plain objects, without empty datasets. */
export const plain = (copy: Copy): Readonly<Record<string, Readonly<Record<string, string>>>> =>
  Object.fromEntries(
    [...copy].filter(([, own]) => own.size > 0).map(([name, own]) => [name, Object.fromEntries(own)]),
  );
