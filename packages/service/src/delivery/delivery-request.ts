import type { Caller } from "@cadastre/delivery";

/** What is asked of deliveries, free of HTTP. */
export type DeliveryRequest = {
  readonly caller: Caller;
  /** The id in the path; empty where there is none. */
  readonly id: string;
  /** The parameters of the query, decoded, by name. */
  readonly parameters: ReadonlyMap<string, string>;
  /** The JSON value of the body. */
  readonly body: () => Promise<unknown>;
};
