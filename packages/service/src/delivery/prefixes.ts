import type { Delivery } from "@cadastre/delivery";
import type { DeliveryServices } from "./services.ts";
import { type Prefixes, prefixesOf } from "./views.ts";

/** Returns the prefixes of a customer's destinations. Empty, without a query, if none of the deliveries is pushed. */
export const prefixesFor = async (
  { destinations }: Pick<DeliveryServices, "destinations">,
  customer: string,
  deliveries: readonly Pick<Delivery, "destination">[],
): Promise<Prefixes> =>
  deliveries.some(({ destination }) => destination !== null)
    ? prefixesOf(await destinations.list(customer))
    : new Map();
