import type { Delivery } from "@cadastre/delivery";
import type { DeliveryServices } from "./services.ts";
import { type Prefixes, prefixesOf } from "./views.ts";

/** Where a customer's deliveries are pushed to, if any of them is. */
export const prefixesFor = async (
  { destinations }: Pick<DeliveryServices, "destinations">,
  customer: string,
  deliveries: readonly Pick<Delivery, "destination">[],
): Promise<Prefixes> =>
  deliveries.some(({ destination }) => destination !== null)
    ? prefixesOf(await destinations.list(customer))
    : new Map();
