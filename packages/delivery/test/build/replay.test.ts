import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createDeliveries, createSubscriptions, type DeliveryOptions, folderParts } from "../../src/index.ts";
import { bucketCustomer, type Customer } from "../../src/testing/object-storage/customer.ts";
import { caller, usePublishing } from "../support/object-storage/publishing.ts";
import { scopeFor } from "../support/scope.ts";
import { scratchFolder } from "../support/scratch.ts";
import { endlessSource, smallParts } from "../support/workshop.ts";

const folder = scratchFolder();

const { office } = usePublishing(join(folder, "parts"));

/** What customers ask with, as far as it is so now. */
function desks(
  { registry, destinations }: Customer,
  now: Partial<Pick<DeliveryOptions, "targets" | "profiles">> = {},
) {
  const means = { source: endlessSource(), profiles: [smallParts], targets: destinations, ...now };
  const deliveries = createDeliveries({
    ...means,
    ledger: registry.deliveries,
    parts: folderParts(join(folder, "parts")),
  });
  const subscriptions = createSubscriptions({ ...means, registry: registry.subscriptions });
  return { deliveries, subscriptions };
}

const incapable = { ...caller, scope: scopeFor({ sub: bucketCustomer }) };
const ungranted = {
  ...caller,
  scope: scopeFor({ sub: bucketCustomer, capabilities: ["file_export_push"], products: ["property"] }),
};

const degrade = async (id: string) => {
  const { destinations } = office().brokerage;
  await destinations.degrade(await destinations.find(bucketCustomer, id), "probe_denied");
};

describe("a request that comes again gives what it created, whatever is so by now", () => {
  test("an export, and a subscription", async () => {
    const { brokerage } = office();
    const { destinationId, ...asking } = await office().asking();
    const request = { ...asking, destinationId };
    const { deliveryMode, domain } = request;
    const order = {
      name: "one",
      cadenceSeconds: 300,
      deliveryMode,
      domain,
      destinationId,
      idempotencyKey: "k",
    };
    const first = desks(brokerage);
    const { delivery } = await first.deliveries.create(caller, request);
    const { subscription } = await first.subscriptions.create(caller, order);
    await degrade(destinationId);
    const unpushed = desks(brokerage, { targets: undefined });
    const profileless = desks(brokerage, { profiles: [] });
    for (const [who, { deliveries, subscriptions }] of [
      [caller, first],
      [incapable, first],
      [ungranted, first],
      [caller, unpushed],
      [caller, profileless],
    ] as const) {
      expect(await deliveries.create(who, request)).toEqual({ delivery, replayed: true });
      expect(await subscriptions.create(who, order)).toEqual({ subscription, replayed: true });
    }
    const conflict = { code: "idempotency_conflict" };
    const other = { ...request, deliveryMode: "push" } as const;
    await expect(first.deliveries.create(incapable, other)).rejects.toMatchObject(conflict);
    const renamed = first.subscriptions.create(incapable, { ...order, name: "two" });
    await expect(renamed).rejects.toMatchObject(conflict);
  });

  test("with another key it is refused", async () => {
    const request = await office().asking();
    const { deliveries, subscriptions } = desks(office().brokerage);
    await degrade(request.destinationId);
    const refused = { code: "destination_not_active" };
    await expect(deliveries.create(caller, request)).rejects.toMatchObject(refused);
    const order = { ...request, name: "other", cadenceSeconds: 300 };
    await expect(subscriptions.create(caller, order)).rejects.toMatchObject(refused);
    const { idempotencyKey: _, ...keyless } = order;
    await expect(subscriptions.create(caller, keyless)).rejects.toMatchObject(refused);
  });
});
