import { randomBytes } from "node:crypto";
import { DeliveryError } from "../errors.ts";
import type { Acknowledgement } from "../ledger/acknowledgement.ts";
import {
  type Delivery,
  type DeliveryState,
  isServed,
  type SealedManifestRecord,
} from "../ledger/delivery.ts";
import type { DeliveryLedger, ListPosition } from "../ledger/ledger.ts";
import type { PartGrant } from "../ledger/part-grant.ts";
import { type DamageReport, isDamage, noteDamage } from "../parts/damage.ts";
import type { PartContent, PartStore } from "../parts/part-store.ts";
import { heldPart } from "../parts/send.ts";
import type { OutputProfile } from "../profiles/profile.ts";
import type { ExportSource } from "../source/export-source.ts";
import type { PushTargets } from "./export-request.ts";
import {
  type AcknowledgementRequest,
  type ApiKeyCaller,
  type FileExportRequest,
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
import { type CreationOptions, createExport } from "./new-delivery.ts";
import { requireIntact } from "./sealed-manifest.ts";

export type DeliveryOptions = {
  readonly ledger: DeliveryLedger;
  readonly source: Pick<ExportSource, "bindFilter" | "checkpoint" | "columns" | "dictionaryVersion">;
  readonly parts: Pick<PartStore, "open" | "address">;
  /** Called when a part or manifest is found to be damaged while it is served. */
  readonly onDamage?: ((report: DamageReport) => void) | undefined;
  /** Output profiles. The first one of each domain is its default. */
  readonly profiles: readonly OutputProfile[];
  /** Destinations that exports may be pushed to. By default nothing is pushed. */
  readonly targets?: PushTargets;
  /** Time after its creation during which a delivery may be fetched, in milliseconds. By default 14 days. */
  readonly retention?: number | undefined;
  /** Returns the sources and attribution that the manifest names. By default none. */
  readonly creditsOf?: CreationOptions["creditsOf"] | undefined;
  /** Returns milliseconds since 1970. By default the system time. */
  readonly clock?: (() => number) | undefined;
  /** By default the random bytes of the operating system. */
  readonly random?: ((bytes: number) => Uint8Array) | undefined;
};

/** A delivery with its progress, as its customer may see it. */
export type DeliveryStatus = {
  readonly delivery: Delivery;
  /** The state at the time of the request. */
  readonly state: DeliveryState;
  /** Number of finished parts. */
  readonly parts: number;
};

/** The bytes of a part or of a manifest. */
type RedeemedPart = PartContent & {
  readonly sha256: string;
  readonly grant: Pick<PartGrant, "delivery" | "part">;
};

/**
 * Operations of customers on their deliveries. Another customer's delivery is reported as `not_found`, like one that does not exist.
 * Every method throws {@link DeliveryError}, and `StoreError` `registry_unavailable`; methods that take an id throw `not_found`.
 */
export type Deliveries = {
  /**
   * Creates an export. A repeated request (same idempotency key) returns the delivery that the first one created, with `replayed` true,
   * even if the request would be refused by now.
   *
   * @throws {DeliveryError} `invalid_request`, `unknown_domain`, `unknown_profile`, `destination_required`, `entitlement_denied`,
   * `capability_required`, `push_unavailable`, `not_found`, `destination_not_active`, `idempotency_conflict`, `too_many_exports`,
   * `filter_not_available`, `invalid_select`
   * @throws {QueryError} for a filter, with the place of the fault
   */
  readonly create: (
    caller: ApiKeyCaller,
    request: FileExportRequest,
  ) => Promise<{ readonly delivery: Delivery; readonly replayed: boolean }>;
  /** Lists the deliveries that may be fetched now, the last completed first. */
  readonly list: (
    caller: ApiKeyCaller,
    page: { readonly after?: ListPosition | undefined; readonly limit: number },
  ) => Promise<readonly Delivery[]>;
  readonly status: (caller: ApiKeyCaller, id: string) => Promise<DeliveryStatus>;
  /**
   * @throws {DeliveryError} `delivery_not_complete`, `delivery_expired`, `delivered_to_bucket`, `entitlement_changed`;
   * `part_rebuilding`: the manifest is damaged and being rebuilt; `part_lost`: the manifest or a part is damaged and cannot be rebuilt
   */
  readonly manifest: (caller: ApiKeyCaller, id: string) => Promise<SealedManifestRecord>;
  /**
   * Issues a token to fetch a part, or the manifest if `part` is 0.
   *
   * @throws {DeliveryError} `part_not_found`, `part_rebuilding`, and those of `manifest`
   */
  readonly grant: (caller: ApiKeyCaller, id: string, part: number) => Promise<IssuedGrant>;
  /**
   * Issues a presigned URL of a part in its store, in place of a token. Anyone who has the URL can read the part until it expires, even if
   * the customer's access is revoked meanwhile. The manifest has no such URL.
   *
   * @throws {DeliveryError} `part_not_found`, and those of `manifest`
   * @throws {TypeError} if the store of parts has no URLs
   */
  readonly grantDirect: (caller: ApiKeyCaller, id: string, part: number) => Promise<DirectGrant>;
  /**
   * Returns the bytes of a grant. If they prove to be damaged while they are sent, `sendTo` fails with `part_rebuilding` before the last
   * bytes.
   *
   * @throws {DeliveryError} `invalid_token`, `parts_unavailable`, and those of `manifest`
   */
  readonly redeem: (caller: ApiKeyCaller, token: string) => Promise<RedeemedPart>;
  /**
   * @throws {DeliveryError} `invalid_request`, `delivery_not_complete`, `sequence_conflict`, `manifest_conflict`,
   * `too_many_acknowledgements`
   */
  readonly acknowledge: (
    caller: ApiKeyCaller,
    id: string,
    request: AcknowledgementRequest,
  ) => Promise<{ readonly acknowledgement: Acknowledgement; readonly first: boolean }>;
  /**
   * Cancels a delivery that is not complete. Canceling it again changes nothing.
   *
   * @throws {DeliveryError} `delivery_not_open`
   */
  readonly cancel: (caller: ApiKeyCaller, id: string) => Promise<Delivery>;
};

const day = 86_400_000;

/** Returns the operations on the deliveries of a ledger. It is independent of HTTP. */
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

  async function manifestOf({ id, manifestSha256 }: Delivery): Promise<SealedManifestRecord> {
    const manifest = await ledger.manifest(id);
    // The delivery was purged in the meantime.
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
      // Only in the unusual cases are the delivery and its pinned entitlement read in full: to find the reason for a refusal, or to compare
      // the entitlement of that time with the present one.
      if (!isServed(delivery, at) || delivery.mode === "push" || delivery.scopeSha256 !== scope.scopeSha256)
        await findServed({ ledger }, scope, grant.delivery, at);
      if (isDamaged) throw new DeliveryError("part_rebuilding");
      if (grant.part === 0)
        return manifestPart(await manifestOf(await findServed({ ledger }, scope, grant.delivery, at)), grant);
      // The part was purged in the meantime.
      if (part === undefined) throw new DeliveryError("delivery_expired");
      const { sha256 } = part;
      const opened = await noting(sha256, grant, () => parts.open(part));
      return {
        ...opened,
        sha256,
        grant,
        sendTo: (to, range, gone) => noting(sha256, grant, () => opened.sendTo(to, range, gone)),
      };
    },
    acknowledge: async ({ scope }, id, request) => {
      await findDelivery({ ledger }, scope, id);
      if (request.reference.length > maxReferenceLength || !isPlainText(request.reference))
        throw new DeliveryError("invalid_request", undefined, { target: "customer_reference" });
      return ledger.acknowledge(scope.customer, id, { ...request, at: clock() });
    },
    cancel: async ({ scope }, id) => {
      await findDelivery({ ledger }, scope, id);
      return ledger.cancel(scope.customer, id, "canceled_by_customer");
    },
  };
}

/** @throws {DeliveryError} `part_not_found` */
async function requirePart(ledger: DeliveryLedger, { id }: Delivery, number: number) {
  const part = Number.isSafeInteger(number) ? await ledger.part(id, number) : undefined;
  if (part === undefined) throw new DeliveryError("part_not_found");
  return part;
}

const manifestPart = (
  { text, sha256 }: SealedManifestRecord,
  grant: RedeemedPart["grant"],
): RedeemedPart => ({
  ...heldPart(Buffer.from(text)),
  sha256,
  grant,
});
