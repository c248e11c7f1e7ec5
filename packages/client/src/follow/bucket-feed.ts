import { canonicalText, readManifest, sha256 } from "@cadastre/manifest";
import type { JSONWebKeySet } from "jose";
import type { Bucket } from "../bucket/bucket.ts";
import { ClientError } from "../errors.ts";
import { deliveryId } from "../fetch/exports.ts";
import { readSignature, requireSignature, type VerifiedManifest } from "../fetch/manifest.ts";
import { type Pins, requirePins } from "../fetch/pins.ts";
import { completeFile, manifestFile, pushedSignatureFile, stageBy } from "../fetch/staging.ts";
import type { DeliveryFeed } from "./feed.ts";
import { following, type ListedDelivery } from "./position.ts";

export type BucketFeedOptions = {
  /** Returns the keys that may have signed a manifest. Called for each manifest. */
  readonly keysOf: () => Promise<JSONWebKeySet> | JSONWebKeySet | "unsigned";
  readonly pins?: Pins;
  /** Acknowledges a loaded delivery to the service; undefined if deliveries are not acknowledged. */
  readonly acknowledge?: DeliveryFeed["acknowledge"];
  /** Asks the service for the state of the subscription; undefined if it is not asked. */
  readonly state?: DeliveryFeed["state"];
};

/** Key of the last object of a publication. Source: docs/push-onboarding.md, "Layout below the prefix". */
const ending = /^(\d{8,15})\/(\d{8,15})-([A-Za-z0-9][\w-]{0,127})\/_COMPLETE$/;

const digits = (value: number): string => String(value).padStart(8, "0");

/** Returns a feed of the deliveries that a service has pushed to a bucket. A delivery without `_COMPLETE` is ignored. */
export function bucketFeed(
  bucket: Bucket,
  subscription: string,
  { keysOf, pins = {}, acknowledge, state }: BucketFeedOptions,
): DeliveryFeed {
  if (!deliveryId.safeParse(subscription).success) throw new ClientError("subscription_id_invalid");
  const root = `subscriptions/${subscription}/`;
  const folderOf = ({ generation, sequence, id }: ListedDelivery) =>
    `${root}${digits(generation)}/${digits(sequence)}-${id}/`;
  return {
    subscription,
    next: async (last) => {
      const after = last && `${digits(last.manifest.generation)}/${digits(last.manifest.sequence)}-`;
      const found = await bucket.keys(root, `${root}${after ?? ""}`);
      const announced = found.flatMap((key) => announcedBy(key.slice(root.length)));
      const { next, isBehind } = following(announced, last);
      if (next === undefined && isBehind) throw new ClientError("delivery_missed");
      return next;
    },
    manifest: (delivery) => readPushed(bucket, folderOf(delivery), { keysOf, pins }),
    stage: (delivery, from, options) =>
      stageBy(
        bucket,
        {
          open:
            async ({ name }) =>
            (signal, position) =>
              bucket.open(`${folderOf(from)}${name}`, signal, position),
          read: ({ name }) => bucket.read(`${folderOf(from)}${name}`),
        },
        delivery,
        options,
      ),
    acknowledge,
    state,
  };
}

function announcedBy(key: string): readonly ListedDelivery[] {
  const [, generation, sequence, id] = ending.exec(key) ?? [];
  if (id === undefined) return [];
  return [{ id, generation: Number(generation), sequence: Number(sequence), isComplete: true }];
}

async function readPushed(
  bucket: Bucket,
  folder: string,
  { keysOf, pins = {} }: BucketFeedOptions,
): Promise<VerifiedManifest> {
  const bytes = new Uint8Array(await bucket.read(folder + manifestFile));
  const hash = await sha256(bytes);
  const end = await bucket.read(folder + completeFile);
  if (end.toString("utf8") !== canonicalText({ manifestSha256: hash }))
    throw new ClientError("manifest_hash_differs");
  const keys = await keysOf();
  const signed = keys === "unsigned" ? undefined : await bucket.read(folder + pushedSignatureFile);
  const signature = await requireSignature(bytes, signed && readSignature(signed), () => keys);
  const manifest = readManifest(bytes);
  requirePins(manifest, pins);
  return { manifest, bytes, sha256: hash, signature };
}
