import type { ChainLink } from "@cadastre/manifest";
import type { VerifiedManifest } from "../pull/manifest.ts";
import type { StagedDelivery, StagingOptions } from "../pull/staging.ts";
import type { Announced } from "./place.ts";

/** Where the deliveries of a subscription come from. */
export type Feed = {
  readonly subscription: string;
  /**
   * What to load where `last` was the last delivery; undefined: nothing yet.
   *
   * @throws {ClientError} `delivery_missed`
   */
  readonly next: (last: ChainLink | undefined) => Promise<Announced | undefined>;
  /** The manifest of a delivery: its hash, its signature and what is pinned are checked. */
  readonly manifest: (delivery: Announced) => Promise<VerifiedManifest>;
  readonly stage: (
    delivery: VerifiedManifest,
    from: Announced,
    options: StagingOptions,
  ) => Promise<StagedDelivery>;
  /** Tell that a delivery is loaded; undefined: nobody is told. */
  readonly acknowledge: ((delivery: ChainLink) => Promise<void>) | undefined;
};
