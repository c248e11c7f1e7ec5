import { hkdfSync } from "node:crypto";

/** Secret from which other keys are derived. */
export type DerivingSecret = { readonly skipTokenKey: Uint8Array };

const keyBytes = 32;

/** Derives an independent key of 32 bytes for one purpose (HKDF). */
export const keyFor = (purpose: string, { skipTokenKey }: DerivingSecret): Uint8Array =>
  Buffer.from(hkdfSync("sha256", skipTokenKey, "", purpose, keyBytes));

/** Functions that derive the keys that encrypt texts in the registry, by owner. */
export const sealingKeys = {
  destination: (secrets: DerivingSecret) => keyFor("external ids of destinations", secrets),
  webhook: (secrets: DerivingSecret) => keyFor("secrets of webhooks", secrets),
} as const;
