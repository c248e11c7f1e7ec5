import type { Endpoint } from "../endpoint/endpoint.ts";
import type { MemoryBudget } from "../http/memory-budget.ts";
import { destinationEndpoints } from "./destinations.ts";
import { documentEndpoints } from "./documents.ts";
import { redeem } from "./downloads.ts";
import { exportEndpoints } from "./exports.ts";
import type { DeliveryServices } from "./services.ts";
import { subscriptionEndpoints } from "./subscriptions.ts";
import { webhookEndpoints } from "./webhooks.ts";

/** The endpoints of deliveries. Source: interface specification, section 4.3. */
export const deliveryEndpoints: readonly Endpoint<DeliveryServices & { readonly memory: MemoryBudget }>[] = [
  ...exportEndpoints,
  ...documentEndpoints,
  redeem,
  ...subscriptionEndpoints,
  ...destinationEndpoints,
  ...webhookEndpoints,
];
