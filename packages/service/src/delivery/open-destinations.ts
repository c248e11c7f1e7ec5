import { hkdfSync } from "node:crypto";
import { createDestinations, type Destinations } from "@cadastre/delivery";
import type { Registry } from "@cadastre/store/registry";
import type { Config } from "../config.ts";
import type { Secrets } from "../data/secrets.ts";

/** The destinations of a registry, with their external ids under a key that follows from the folder's secrets. */
export function openDestinations(
  { pushEndpoint: endpoint }: Pick<Config, "pushEndpoint">,
  { destinations: registry }: Pick<Registry, "destinations">,
  { skipTokenKey }: Pick<Secrets, "skipTokenKey">,
): Destinations {
  return createDestinations({
    registry,
    key: Buffer.from(hkdfSync("sha256", skipTokenKey, "", "external ids of destinations", 32)),
    access: endpoint === undefined ? {} : { endpoints: { s3: endpoint, sts: endpoint }, pathStyle: true },
  });
}
