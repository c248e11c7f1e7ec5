import type { ApiKeyCaller } from "@cadastre/delivery";

/** Request to an endpoint of deliveries, independent of Express. */
export type DeliveryRequest = {
  readonly caller: ApiKeyCaller;
  /** Id in the path. Empty if it has none. */
  readonly id: string;
  /** Decoded query parameters by name. */
  readonly parameters: ReadonlyMap<string, string>;
  /** Reads and parses the JSON body. */
  readonly body: () => Promise<unknown>;
};
