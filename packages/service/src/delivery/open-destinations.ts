import { createDestinations, type Destinations } from "@cadastre/delivery";
import type { Config } from "../config.ts";
import { sealingKeys } from "../data/derived-keys.ts";
import type { Registry } from "../data/registry.ts";
import type { Secrets } from "../data/secrets.ts";

/** Opens the destinations of a registry. Their external ids are encrypted with a key derived from the folder's secrets. */
export function openDestinations(
  { pushEndpoint: endpoint }: Pick<Config, "pushEndpoint">,
  { destinations: registry }: Pick<Registry, "destinations">,
  secrets: Pick<Secrets, "skipTokenKey">,
): Destinations {
  return createDestinations({
    registry,
    key: sealingKeys.destination(secrets),
    access: endpoint === undefined ? {} : { endpoints: { s3: endpoint, sts: endpoint }, pathStyle: true },
  });
}
