import type { Manifest } from "@cadastre/manifest";
import { ClientError } from "../errors.ts";

/** Properties of a delivery that can be pinned, each with the two texts that a pin may have. */
const pinnable = {
  schema: ({ schema }) => [schema.sha256, `${schema.id}@${schema.version}`],
  profile: ({ profile }) => [profile.sha256, `${profile.id}@${profile.version}`],
  entitlement: ({ entitlement }) => [entitlement.scopeSha256, String(entitlement.version)],
} as const satisfies Record<string, (manifest: Manifest) => readonly [hash: string, name: string]>;

/** Pinned values: for example `listing@1`, a version of the entitlement, or a SHA-256. */
export type Pins = Readonly<Partial<Record<keyof typeof pinnable, string>>>;

/** Parses pins: `["schema=listing@1"]` → `{ schema: "listing@1" }`. */
export const readPins = (texts: readonly string[]): Pins =>
  Object.fromEntries(
    texts.map((pin) => {
      const [, name = "", value = ""] = /^(schema|profile|entitlement)=(\S+)$/.exec(pin) ?? [];
      if (value === "") throw new ClientError("pin_invalid", { pin });
      return [name, value];
    }),
  );

/** @throws {ClientError} `pin_differs` if a property of the delivery is not the pinned one */
export function requirePins(manifest: Manifest, pins: Pins): void {
  for (const [pin, known] of Object.entries(pinnable)) {
    const wanted = pins[pin as keyof typeof pinnable];
    const [hash, name] = known(manifest);
    if (wanted === undefined || wanted === hash || wanted === name) continue;
    const served = /^[\da-f]{64}$/.test(wanted) ? hash : name;
    throw new ClientError("pin_differs", { pin, pinned: wanted, served });
  }
}
