import { expect, test } from "vitest";
import { ask } from "../../support/ask.ts";
import { dataOf, refusal } from "../../support/deliveries.ts";
import { type Destination, destinationsRoot, type Untrusted } from "../../support/destinations.ts";
import type { Pushing } from "../../support/pushing.ts";

/** What becomes of a destination from its first request to its last. */
export function destinationJourney(pushing: () => Pushing): void {
  test("a destination is reserved, trusted and verified, and its external id told once", async () => {
    const { running, national, destinations } = pushing();
    const { trust, verified } = destinations;
    const reserved = await destinations.reserve();
    const { reply, body, id, externalId } = reserved;
    const target = `${destinationsRoot}/${id}`;
    expect(reply.headers["cache-control"]).toBe("no-store");
    expect(reply.headers["location"]).toBe(target);
    expect(dataOf(reply)).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      status: "reserved",
      ...body,
      failure: null,
      last_verified_at: null,
      created_at: expect.stringMatching(/Z$/) as string,
      externalId: expect.stringMatching(/^[\w-]{43}$/) as string,
    });
    const asked = { domain: "listing", deliveryMode: "push", destinationId: id };
    expect(refusal(await national.create(asked))).toEqual([409, "destination_not_active"]);
    expect(await verified(id)).toMatchObject({ status: "degraded", failure: { code: "role_denied" } });
    trust(reserved);
    expect(await verified(id)).toMatchObject({ status: "active", failure: null });

    const list = await national.get(destinationsRoot);
    expect(dataOf<Destination[]>(list).map((one) => one.id)).toContain(id);
    for (const { text } of [list, await national.get(target)]) expect(text).not.toContain(externalId);
    expect(running.log()).not.toContain(externalId);

    const rotated = await national.post(`${target}/rotate`, {});
    expect([rotated.status, rotated.headers["cache-control"]]).toEqual([200, "no-store"]);
    expect(dataOf<Untrusted>(rotated)).toMatchObject({
      status: "reserved",
      externalId: expect.not.stringMatching(externalId) as string,
    });
    expect(await verified(id)).toMatchObject({ status: "degraded", failure: { code: "role_denied" } });

    const remove = () => ask(running.service.baseUrl, target, national.headers, "DELETE");
    for (let times = 0; times < 2; times++)
      expect(dataOf(await remove())).toMatchObject({ status: "disabled" });
    for (const step of ["verify", "rotate"])
      expect(refusal(await national.post(`${target}/${step}`, {}))).toEqual([409, "destination_state"]);
  }, 120_000);
}
