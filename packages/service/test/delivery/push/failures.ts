import { expect, test } from "vitest";
import { exportsRoot, refusal } from "../../support/deliveries.ts";
import { entitle } from "../../support/entitle.ts";
import type { Pushing } from "../../support/pushing.ts";

/** What ends a publication, and is never mistaken for one that is complete. */
export function failureJourney(pushing: () => Pushing): void {
  test("a destination that denies it suspends, and once it is repaired the same place is published", async () => {
    const { server, national, destinations, subscriptions, deliveries } = pushing();
    const { namesAt, wantedOf } = deliveries;
    const { id: destinationId, prefix } = await destinations.onboarded();
    server.failWhen(({ method, path }) =>
      method === "PUT" && path.includes(prefix) && path.includes("/manifest.json")
        ? { status: 403, code: "AccessDenied" }
        : undefined,
    );
    const id = await subscriptions.created(destinationId, "both");
    const denied = await subscriptions.delivered(id, 0);
    expect(denied).toMatchObject({ status: "failed", failure: { code: "destination_denied" } });
    expect(await namesAt(denied)).not.toContain("_COMPLETE");
    expect(refusal(await national.get(`${exportsRoot}/${denied.id}/manifest`))).toEqual([
      409,
      "delivery_not_complete",
    ]);
    await expect
      .poll(() => subscriptions.find(id), { timeout: 20_000 })
      .toMatchObject({ status: "suspended", failure: { code: "destination_degraded" } });
    expect(await destinations.find(destinationId)).toMatchObject({
      status: "degraded",
      failure: { code: "bucket_denied" },
    });

    server.failWhen(undefined);
    expect((await destinations.verified(destinationId)).status).toBe("active");
    const again = await subscriptions.delivered(id, 0, denied.id);
    expect(again).toMatchObject({ status: "complete", publication: { status: "complete" } });
    expect(await namesAt(again)).toEqual(await wantedOf(again));
    expect(await subscriptions.find(id)).toMatchObject({ status: "active", failure: null });
  }, 120_000);

  test("what lies there under the same name stays, and ends the delivery", async () => {
    const { server, owner, national, destinations, deliveries } = pushing();
    const { id: destinationId, prefix } = await destinations.onboarded();
    let isWritten = false;
    // Somebody else writes the manifest's name while the first part is on its way.
    server.failWhen(({ method, path }) => {
      if (method !== "PUT" || isWritten || !path.includes(`${prefix}/exports/`)) return undefined;
      isWritten = true;
      const folder = path.split("?")[0]?.split("/").slice(2, -1).join("/");
      void owner.write(`${folder}/manifest.json`, "somebody else's");
      return { status: 503, code: "SlowDown" };
    });
    const ended = await deliveries.settled(await national.created({ deliveryMode: "push", destinationId }));
    expect(ended).toMatchObject({
      status: "failed",
      failure: { code: "destination_conflict" },
      publication: { status: "failed" },
    });
    expect(await deliveries.namesAt(ended)).not.toContain("_COMPLETE");
  }, 120_000);

  test("an entitlement that changes midway ends the publication", async () => {
    const { server, running, national, destinations, deliveries } = pushing();
    const { id: destinationId, prefix } = await destinations.onboarded();
    let change: Promise<void> | undefined;
    server.failWhen(({ method, path }) => {
      if (method !== "PUT" || !path.includes(prefix)) return undefined;
      if (path.includes("manifest.json"))
        change ??= entitle(running, "national", (before) => ({
          ...before,
          products: ["listing", "property"],
        }));
      return change === undefined ? undefined : { status: 503, code: "SlowDown" };
    });
    const id = await national.created({ deliveryMode: "push", destinationId });
    await expect.poll(() => change !== undefined, { timeout: 30_000 }).toBe(true);
    await change;
    server.failWhen(undefined);
    const ended = await deliveries.settled(id);
    expect(ended).toMatchObject({ status: "canceled", failure: { code: "entitlement_changed" } });
    expect(await deliveries.namesAt(ended)).not.toContain("_COMPLETE");
  }, 120_000);
}
