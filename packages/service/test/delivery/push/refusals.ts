import { describe, expect, onTestFinished, test } from "vitest";
import { customerOf, dataOf, exportsRoot, refusal } from "../../support/deliveries.ts";
import { destinationsRoot } from "../../support/destinations.ts";
import { entitle } from "../../support/entitle.ts";
import type { Pushing } from "../../support/pushing.ts";
import { run } from "../../support/running.ts";
import { subscriptionsRoot } from "../../support/subscriptions.ts";

const nowhere = "01939b2e-0000-7000-8000-000000000000";

/** What nobody is granted, or only somebody else. */
export function refusals(pushing: () => Pushing): void {
  describe("refused", () => {
    test.each<[string, object, string]>([
      ["no bucket", { bucket: undefined }, "invalid_bucket"],
      ["a bucket that is a number", { bucket: 1 }, "invalid_bucket"],
      ["a bucket that is none", { bucket: "A" }, "invalid_bucket"],
      ["a region that is none", { region: "mars" }, "invalid_region"],
      ["a prefix with dots", { prefix: "a/../b" }, "invalid_prefix"],
      ["a role elsewhere", { roleArn: "arn:aws:iam::111122223333:role/other/x" }, "invalid_role_arn"],
      ["a key of another region", { region: "eu-west-1" }, "invalid_kms_key_arn"],
      ["an unknown member", { extra: 1 }, "invalid_request"],
      ["an unknown member and a fault", { extra: 1, bucket: 1 }, "invalid_request"],
    ])("is a destination with %s", async (_, more, code) => {
      const { national, destinations } = pushing();
      const reply = await national.post(destinationsRoot, { ...destinations.wanted(), ...more });
      expect(refusal(reply)).toEqual([400, code]);
    });

    test("is a place in use, whosever it is, and what is of another customer is absent", async () => {
      const { running, national, destinations } = pushing();
      const { body, id } = await destinations.reserve();
      const market = customerOf(running, "market");
      const prefix = `${body.prefix}/below`;
      for (const customer of [national, market])
        expect(refusal(await customer.post(destinationsRoot, { ...body, prefix }))).toEqual([
          409,
          "destination_exists",
        ]);
      for (const own of [id, nowhere, "x", "%00"]) {
        expect(refusal(await market.get(`${destinationsRoot}/${own}`))).toEqual([404, "not_found"]);
        for (const step of ["verify", "rotate"])
          expect(refusal(await market.post(`${destinationsRoot}/${own}/${step}`, {}))).toEqual([
            404,
            "not_found",
          ]);
      }
      for (const destinationId of [id, nowhere, "x"])
        for (const [root, more] of [
          [exportsRoot, { idempotencyKey: "x" }],
          [subscriptionsRoot, { name: "x", cadenceSeconds: 3600 }],
        ] as const) {
          const asked = { domain: "listing", deliveryMode: "both", destinationId, ...more };
          expect(refusal(await market.post(root, asked))).toEqual([404, "not_found"]);
        }
      const asked = { domain: "listing", deliveryMode: "push" };
      expect(refusal(await market.create(asked))).toEqual([400, "destination_required"]);
    });

    test("is whoever does not have the capability, and everyone while nothing is pushed", async () => {
      const { running, destinations } = pushing();
      const { body, id } = await destinations.reserve();
      await entitle(running, "market", (before) => {
        const { capabilities, ...rest } = before;
        expect(capabilities).toEqual(["file_export_push"]);
        return rest;
      });
      const asked = { domain: "listing", deliveryMode: "push", destinationId: id };
      const refusalsOf = async ({ create, post }: ReturnType<typeof customerOf>) => [
        refusal(await create(asked)),
        refusal(await post(subscriptionsRoot, { ...asked, name: "x", cadenceSeconds: 3600 })),
        refusal(await post(destinationsRoot, body)),
      ];
      const thrice = (...refused: unknown[]) => [refused, refused, refused];
      const market = customerOf(running, "market");
      expect(await refusalsOf(market)).toEqual(thrice(403, "capability_required"));
      const off = await run({ CADASTRE_LISTINGS: "150" });
      onTestFinished(() => off.stop());
      const unpushed = customerOf(off);
      expect(await refusalsOf(unpushed)).toEqual(thrice(503, "push_unavailable"));
      expect(dataOf(await unpushed.get(destinationsRoot))).toEqual([]);
    }, 60_000);
  });
}
