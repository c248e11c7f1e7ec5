import { randomBytes } from "node:crypto";
import { DeliveryError } from "../errors.ts";
import type { Acknowledgement } from "../ledger/acknowledgement.ts";
import { type Delivery, type DeliveryState, isServed, type SealedManifest } from "../ledger/delivery.ts";
import type { DeliveryLedger, ListPosition } from "../ledger/ledger.ts";
import type { PartGrant } from "../ledger/part-grant.ts";
import { type DamageReport, isDamage, noteDamage } from "../parts/damage.ts";
import type { OpenPart, PartStore } from "../parts/part-store.ts";
import { heldPart } from "../parts/send.ts";
import type { OutputProfile } from "../profiles/profile.ts";
import { asDeliveryError } from "../registry-errors.ts";
import type { ExportSource } from "../source/export-source.ts";
import { type CreationOptions, createExport } from "./create-export.ts";
import type { PushTargets } from "./delivery-request.ts";
import {
  type AcknowledgementRequest,
  type Caller,
  type ExportRequest,
  isPlainText,
  maxReferenceLength,
} from "./export-request.ts";
import { findDelivery, findServed, stateAt } from "./find-delivery.ts";
import {
  type DirectGrant,
  grantLifetime,
  type IssuedGrant,
  issueAddress,
  issueGrant,
  readGrant,
} from "./grants.ts";
import { requireIntact } from "./sealed-manifest.ts";

export type DeliveryOptions = {
  readonly ledger: DeliveryLedger;
  readonly source: Pick<ExportSource, "checkpoint" | "columns">;
  readonly parts: Pick<PartStore, "open" | "address">;
  /** Called when a part or manifest is found to be damaged while it is served. */
  readonly onDamage?: ((report: DamageReport) => void) | undefined;
  /** The first one of a domain is what it is delivered by unless asked otherwise. */
  readonly profiles: readonly OutputProfile[];
  /** Where exports may be pushed to. By default nothing is pushed. */
  readonly targets?: PushTargets;
  /** How long a delivery may be fetched after it was created, in milliseconds. By default 14 days. */
  readonly retention?: number | undefined;
  /** Whose records a delivery holds, for its manifest. By default nothing is said. */
  readonly creditsOf?: CreationOptions["creditsOf"] | undefined;
  /** Milliseconds since 1970. By default the time of this machine. */
  readonly clock?: (() => number) | undefined;
  /** By default those of the operating system. */
  readonly random?: ((bytes: number) => Uint8Array) | undefined;
};

/** A delivery as its customer may see it. */
export type DeliveryStatus = {
  readonly delivery: Delivery;
  /** Its state now. */
  readonly state: DeliveryState;
  /** Parts that are finished so far. */
  readonly parts: number;
};

/** The bytes of a part or of a manifest. */
export type RedeemedPart = OpenPart & {
  readonly sha256: string;
  /** The delivery and the part that were granted. */
  readonly grant: Pick<PartGrant, "delivery" | "part">;
};

/**
 * What customers ask of deliveries. A delivery of another customer is `not_found`, as one that does not exist. Every method throws
 * {@link DeliveryError}, and `StoreError` `registry_unavailable`; those that take an id `not_found`.
 */
export type Deliveries = {
  /**
   * Create an export. The same request again gives the delivery that it created, whatever would be refused by now: `replayed`.
   *
   * @throws {DeliveryError} `invalid_request`, `unknown_domain`, `unknown_profile`, `destination_required`, `entitlement_denied`,
   * `capability_required`, `push_unavailable`, `not_found`, `destination_not_active`, `idempotency_conflict`, `too_many_exports`
   */
  readonly create: (
    caller: Caller,
    request: ExportRequest,
  ) => Promise<{ readonly delivery: Delivery; readonly replayed: boolean }>;
  /** Deliveries that may be fetched now, the last completed first. */
  readonly list: (
    caller: Caller,
    page: { readonly after?: ListPosition | undefined; readonly limit: number },
  ) => Promise<readonly Delivery[]>;
  readonly status: (caller: Caller, id: string) => Promise<DeliveryStatus>;
  /**
   * @throws {DeliveryError} `delivery_not_complete`, `delivery_expired`, `delivered_to_bucket`, `entitlement_changed`;
   * `part_rebuilding`: its bytes were damaged; `part_lost`: they, or those of a part, cannot be rebuilt
   */
  readonly manifest: (caller: Caller, id: string) => Promise<SealedManifest>;
  /**
   * Leave to fetch a part, or with 0 the manifest.
   *
   * @throws {DeliveryError} `part_not_found`, `part_rebuilding`, and as `manifest` does
   */
  readonly grant: (caller: Caller, id: string, part: number) => Promise<IssuedGrant>;
  /**
   * As `grant`, by an address of the part where it lies: it lets in whoever has it until it ends, whatever is revoked meanwhile. The
   * manifest has none.
   *
   * @throws {DeliveryError} `part_not_found`, and as `manifest` does
   * @throws {TypeError} if parts have no addresses
   */
  readonly grantDirect: (caller: Caller, id: string, part: number) => Promise<DirectGrant>;
  /**
   * Returns the bytes of a grant. If they prove to be damaged while they are sent, `sendTo` fails with `part_rebuilding` before the last
   * bytes.
   *
   * @throws {DeliveryError} `invalid_token`, `parts_unavailable`, and as `manifest` does
   */
  readonly redeem: (caller: Caller, token: string) => Promise<RedeemedPart>;
  /** @throws {DeliveryError} `invalid_request`, `delivery_not_complete`, `sequence_conflict`, `manifest_conflict` */
  readonly acknowledge: (
    caller: Caller,
    id: string,
    request: AcknowledgementRequest,
  ) => Promise<{ readonly acknowledgement: Acknowledgement; readonly first: boolean }>;
  /**
   * Give up a delivery that is not complete. Canceled again it is the same.
   *
   * @throws {DeliveryError} `delivery_not_open`
   */
  readonly cancel: (caller: Caller, id: string) => Promise<Delivery>;
};

const day = 86_400_000;

/** The deliveries of a ledger. Speaks no HTTP. */
export function createDeliveries(options: DeliveryOptions): Deliveries {
  const { ledger, parts, clock = Date.now, random = randomBytes } = options;
  const creation = {
    ...options,
    random,
    retention: options.retention ?? 14 * day,
    creditsOf: options.creditsOf ?? (() => ({ sources: [], attribution: [] })),
  };
  const grants = { ledger, random };
  const notes = { ledger, clock, onDamage: options.onDamage };

  /** Runs `work` on stored bytes. If they are damaged, marks them and throws `part_rebuilding`. */
  const noting = <T>(sha256: string, of: Omit<DamageReport, "cause">, work: () => Promise<T>): Promise<T> =>
    work().catch(async (cause: unknown) => {
      if (!isDamage(cause)) throw cause;
      await noteDamage(notes, sha256, { ...of, cause });
      throw new DeliveryError("part_rebuilding", undefined, { cause });
    });

  async function manifestOf({ id, manifestSha256 }: Delivery): Promise<SealedManifest> {
    const manifest = await ledger.manifest(id);
    // It was purged since.
    if (manifest === undefined || manifestSha256 === null) throw new DeliveryError("delivery_expired");
    await noting(manifestSha256, { delivery: id, part: 0 }, async () =>
      requireIntact(manifest, manifestSha256),
    );
    return manifest;
  }

  /** @throws {DeliveryError} `part_rebuilding` */
  async function requireGood(sha256: string | null): Promise<void> {
    if (sha256 !== null && (await ledger.damage.isMarked(sha256))) throw new DeliveryError("part_rebuilding");
  }

  return {
    create: (caller, request) => createExport(creation, caller, request, clock()),
    list: ({ scope }, page) => ledger.list(scope.customer, { ...page, at: clock() }),
    status: async ({ scope }, id) => {
      const delivery = await findDelivery({ ledger }, scope, id);
      const finished = await ledger.countParts(id);
      return { delivery, state: stateAt(delivery, clock()), parts: finished };
    },
    manifest: async ({ scope }, id) => manifestOf(await findServed({ ledger }, scope, id, clock())),
    grant: async (caller, id, part) => {
      const delivery = await findServed({ ledger }, caller.scope, id, clock());
      const { sha256 } =
        part === 0 ? { sha256: delivery.manifestSha256 } : await requirePart(ledger, delivery, part);
      await requireGood(sha256);
      return issueGrant(grants, caller, { delivery: id, part }, clock());
    },
    grantDirect: async (caller, id, part) => {
      if (parts.address === undefined) throw new TypeError("parts have no addresses");
      const delivery = await findServed({ ledger }, caller.scope, id, clock());
      const granted = await requirePart(ledger, delivery, part);
      await requireGood(granted.sha256);
      const url = await parts.address(granted, grantLifetime / 1000);
      return issueAddress(grants, caller, { delivery: id, part }, url, clock());
    },
    redeem: async (caller, token) => {
      const { scope } = caller;
      const at = clock();
      const { grant, delivery, part, isDamaged } = await readGrant({ ledger }, caller, token, at);
      // More is read where it is not as usual: why it is refused, or what the entitlement of its time was.
      if (!isServed(delivery, at) || delivery.mode === "push" || delivery.scopeSha256 !== scope.scopeSha256)
        await findServed({ ledger }, scope, grant.delivery, at);
      if (isDamaged) throw new DeliveryError("part_rebuilding");
      if (grant.part === 0)
        return manifestPart(await manifestOf(await findServed({ ledger }, scope, grant.delivery, at)), grant);
      // It was purged since.
      if (part === undefined) throw new DeliveryError("delivery_expired");
      const { sha256 } = part;
      const opened = await noting(sha256, grant, () => parts.open(part));
      return {
        ...opened,
        sha256,
        grant,
        sendTo: (to, gone) => noting(sha256, grant, () => opened.sendTo(to, gone)),
      };
    },
    acknowledge: async ({ scope }, id, request) => {
      await findDelivery({ ledger }, scope, id);
      if (request.reference.length > maxReferenceLength || !isPlainText(request.reference))
        throw new DeliveryError("invalid_request", "customer_reference");
      return asDeliveryError(ledger.acknowledge(scope.customer, id, { ...request, at: clock() }));
    },
    cancel: async ({ scope }, id) => {
      await findDelivery({ ledger }, scope, id);
      return asDeliveryError(ledger.cancel(scope.customer, id, "canceled_by_customer"));
    },
  };
}

/** @throws {DeliveryError} `part_not_found` */
async function requirePart(ledger: DeliveryLedger, { id }: Delivery, number: number) {
  const part = Number.isSafeInteger(number) ? await ledger.part(id, number) : undefined;
  if (part === undefined) throw new DeliveryError("part_not_found");
  return part;
}

const manifestPart = ({ text, sha256 }: SealedManifest, grant: RedeemedPart["grant"]): RedeemedPart => ({
  ...heldPart(Buffer.from(text)),
  sha256,
  grant,
});
