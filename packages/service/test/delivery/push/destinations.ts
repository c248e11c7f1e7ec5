import { expect, test } from "vitest";
import { ask } from "../../support/ask.ts";
import { dataOf, refusal } from "../../support/deliveries.ts";
import { type Destination, destinationsRoot, type Untrusted } from "../../support/destinations.ts";
import type { Pushing } from "../../support/pushing.ts";

/** Tests of a destination from its first request to its last. */
export function destinationJourney(pushing: () => Pushing): void {
  test("a store other than AWS is written to with the customer's own keys, which are never told", async () => {
    const { running, server, owner: customer, national, destinations, deliveries } = pushing();
    const { endpoint } = server;
    // The SDK adds members to the keys that it is given.
    const { accessKeyId, secretAccessKey } = server.owner;
    const owner = { accessKeyId, secretAccessKey };
    const body = { bucket: customer.bucket, prefix: "deliveries/own", endpoint, ...owner };
    const created = await national.post(destinationsRoot, body);
    expect([created.status, dataOf(created)]).toMatchObject([
      201,
      {
        status: "reserved",
        region: "us-east-1",
        roleArn: null,
        endpoint,
        pathStyle: true,
        accessKeyId: owner.accessKeyId,
      },
    ]);
    const { id } = dataOf<Destination>(created);
    expect(created.text).not.toContain("externalId");
    expect(await destinations.verified(id)).toMatchObject({ status: "active", failure: null });
    const pushed = await deliveries.settled(
      await national.created({ deliveryMode: "push", destinationId: id }),
    );
    expect(pushed).toMatchObject({ status: "complete", publication: { status: "complete" } });
    expect(await deliveries.namesAt(pushed)).toEqual(await deliveries.wantedOf(pushed));

    const rotate = (keys: object) => national.post(`${destinationsRoot}/${id}/rotate`, keys);
    expect(refusal(await rotate({}))).toEqual([400, "invalid_access_key"]);
    const rotated = await rotate({ accessKeyId: "OTHER", secretAccessKey: "other-secret" });
    expect([rotated.status, dataOf(rotated)]).toMatchObject([200, { accessKeyId: "OTHER" }]);
    expect(await destinations.verified(id)).toMatchObject({ status: "degraded" });
    expect((await rotate(owner)).status).toBe(200);
    expect(await destinations.verified(id)).toMatchObject({ status: "active" });
    const list = await national.get(destinationsRoot);
    for (const text of [created.text, rotated.text, list.text, running.log()])
      for (const secret of [owner.secretAccessKey, "other-secret"]) expect(text).not.toContain(secret);
  }, 120_000);

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
      endpoint: null,
      pathStyle: null,
      accessKeyId: null,
      failure: null,
      last_verified_at: null,
      pointer_denied_since: null,
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
