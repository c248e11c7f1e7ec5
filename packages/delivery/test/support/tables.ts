import type { DeliveryPart, NewDelivery } from "../../src/ledger/delivery.ts";
import type { Claim, ClaimTerms } from "../../src/ledger/queue.ts";
import type { TestRegistry } from "../../src/testing/registry.ts";

export const at = Date.UTC(2026, 0, 1);
export const day = 86_400_000;
export const customer = "acme";
export const sha = (name: string) => name.padEnd(64, "0");
export const most = 4;
export const terms: ClaimTerms = { lease: 60_000, attempts: 3 };
/** A lease that is over at once. */
export const lapsed: ClaimTerms = { ...terms, lease: -1 };

let made = 0;

export const newDelivery = (more: Partial<NewDelivery> = {}): NewDelivery => ({
  id: `00000000-0000-7000-8000-${String(++made).padStart(12, "0")}`,
  customer,
  domain: "listing",
  kind: "snapshot",
  mode: "pull",
  destination: null,
  subscription: null,
  generation: 1,
  sequence: 0,
  previous: null,
  fromCheckpoint: null,
  toCheckpoint: 9_007_199_254_740_991,
  entitlementVersion: 3,
  scopeSha256: sha("5c09e"),
  pinned: '{"profile":"listing-jsonl"}',
  created: at,
  expires: at + 14 * day,
  ...more,
});

export const requestOf = (key: string, fingerprint = sha("f")) => ({ operation: "export", key, fingerprint });

export const newPart = (ordinal: number, sha256 = sha(`a${ordinal}`)): DeliveryPart => ({
  ordinal,
  number: 7 * ordinal + 3,
  dataset: "listing",
  sha256,
  byteLength: 5_000_000_000,
  rows: 10,
  next: ordinal === 1 ? null : `position ${ordinal}`,
  entry: `{"number":${7 * ordinal + 3}}`,
});

export const manifest = { text: '{"deliveryId":"é"}', sha256: sha("3a"), signature: '{"protected":"e30"}' };

export async function create({ deliveries }: TestRegistry, more: Partial<NewDelivery> = {}) {
  const delivery = newDelivery(more);
  await deliveries.create(delivery, requestOf(delivery.id), most);
  return delivery;
}

export async function claim({ deliveries }: TestRegistry, with_ = terms, worker = "w1"): Promise<Claim> {
  const claimed = await deliveries.queue.claim(worker, with_);
  if (claimed === undefined) throw new Error("nothing to claim");
  return claimed.claim;
}

export async function addPart({ deliveries }: TestRegistry, held: Claim, part: DeliveryPart) {
  await deliveries.queue.announce(held, part.sha256);
  await deliveries.queue.addPart(held, part);
}

/** Build a delivery that waits, to its end. */
export async function complete(registry: TestRegistry, completed = at, parts = [newPart(0), newPart(1)]) {
  const held = await claim(registry);
  for (const part of parts) await addPart(registry, held, part);
  await registry.deliveries.queue.seal(held, manifest, completed);
  return held.id;
}

export const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => "done",
    (error: { code: unknown }) => error.code,
  );

export type WithRegistry = (
  use: (registry: TestRegistry, again: () => Promise<TestRegistry>) => Promise<void>,
) => Promise<void>;
