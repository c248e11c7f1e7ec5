import { hkdfSync } from "node:crypto";

/** The secret that other keys are derived from. */
export type DerivingSecret = { readonly skipTokenKey: Uint8Array };

const keyBytes = 32;

/** A secret of 32 bytes for one purpose, which tells nothing of the others. */
export const keyFor = (purpose: string, { skipTokenKey }: DerivingSecret): Uint8Array =>
  Buffer.from(hkdfSync("sha256", skipTokenKey, "", purpose, keyBytes));

/** Keys that texts of the registry are sealed with, by what the text belongs to. They follow from the secrets. */
export const sealingKeys = {
  destination: (secrets: DerivingSecret) => keyFor("external ids of destinations", secrets),
  webhook: (secrets: DerivingSecret) => keyFor("secrets of webhooks", secrets),
} as const;
