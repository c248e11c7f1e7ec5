import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { Readable } from "node:stream";
import { canonicalBytes, type Manifest } from "@cadastre/manifest";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { OpenDestination } from "../../src/destinations/destinations.ts";
import { DeliveryError, publishDelivery } from "../../src/index.ts";
import { completeName } from "../../src/publication/layout.ts";
import type { PublishedObjects } from "../../src/publication/publication.ts";
import { type PublicationPoint, type PublishOptions, publishObjects } from "../../src/publication/publish.ts";
import type { PointerChange } from "../../src/publication/publish-delivery.ts";
import { bucketCustomer, type Customer, makeCustomer } from "../../src/testing/object-storage/customer.ts";
import { kmsKeyArns, type ObjectServer } from "../../src/testing/object-storage/server.ts";
import { codeOf, objectOf, textAt, withoutOverwriting } from "./buckets.ts";

const partOf = (name: string, text: string, claimed = text) => ({ ...objectOf(text, claimed), name });

const names = ["listing-00007.jsonl.gz", "listing-00003.jsonl.gz", "media-00001.jsonl.gz"];
const objects = [...names, "manifest.json", "manifest.jws.json", "_COMPLETE"];

const publicationOf = (more: Partial<PublishedObjects> = {}): PublishedObjects => ({
  parts: names.map((name) => partOf(name, `bytes of ${name}`)),
  manifest: Buffer.from('{"deliveryId":"d1"}'),
  signature: Buffer.from('{"protected":"e30","signature":"c2ln"}'),
  ...more,
});

const authorize = async () => {};

const subscription = "0198f3a0-1111-7222-8333-444455556666";
const example = JSON.parse(
  readFileSync(new URL("../../../manifest/fixtures/valid/delta.json", import.meta.url), "utf8"),
) as Manifest;

/** Returns a publication with a manifest that can be read. */
const sealedOf = (members: Partial<Manifest> = {}): PublishedObjects =>
  publicationOf({ manifest: canonicalBytes({ ...example, ...members }) });

let made = 0;

/** Tests that publications must pass, on any server. */
export function publicationConformance(name: string, serverOf: () => ObjectServer): void {
  describe(`publications at ${name}`, () => {
    let brokerage: Customer;
    let id: string;
    let prefix: string;
    const opened: OpenDestination[] = [];
    beforeAll(async () => {
      brokerage = await makeCustomer(serverOf());
      ({ id, prefix } = await brokerage.onboard());
      await brokerage.destinations.verify(bucketCustomer, id);
    });
    afterAll(async () => {
      for (const { bucket } of opened) bucket.close();
      await brokerage.close();
    });
    const open = async (folder = `exports/${++made}`) => {
      const to = await brokerage.destinations.open(bucketCustomer, id, { delivery: "d1", folder });
      opened.push(to);
      return to;
    };
    const lookAt = ({ root }: OpenDestination) => brokerage.look(root);
    const namesAt = async (to: OpenDestination) => (await lookAt(to)).map(({ key }) => key);

    test("everything is there, the end last, and done again nothing is written", async () => {
      const to = await open();
      const order: string[] = [];
      const at = async (point: PublicationPoint) => {
        order.push(point);
        if (point === `before_put ${completeName}`)
          expect(await namesAt(to)).toEqual(objects.slice(0, -1).toSorted());
      };
      expect(await publishObjects(to, publicationOf(), { authorize, at })).toEqual({ created: 6, found: 0 });
      expect(order).toEqual(
        objects.flatMap((one) => [`before_put ${one}`, `after_put ${one}`, `after_check ${one}`]),
      );
      const before = await lookAt(to);
      expect(before.map(({ key }) => key)).toEqual(objects.toSorted());
      let sent = 0;
      serverOf().failWhen(({ method }) => {
        if (method === "PUT") sent++;
        return undefined;
      });
      expect(await publishObjects(to, publicationOf(), { authorize })).toEqual({ created: 0, found: 6 });
      serverOf().failWhen(undefined);
      expect(sent).toBe(0);
      expect(await lookAt(to)).toEqual(before);
      const sha256 = createHash("sha256").update('{"deliveryId":"d1"}').digest("hex");
      const end = objectOf(`{"manifestSha256":"${sha256}"}`);
      const found = await to.bucket.head(`${to.root}_COMPLETE`);
      expect(found).toMatchObject({ byteLength: end.byteLength, sha256: end.sha256 });
    });

    test("of ten that publish the same at once each object is written by one", async () => {
      const folder = `exports/${++made}`;
      const racing = Array.from({ length: 10 }, async () =>
        publishObjects(await open(folder), publicationOf(), { authorize }),
      );
      const reports = await Promise.all(racing);
      expect(reports.reduce((sum, { created }) => sum + created, 0)).toBe(objects.length);
      for (const { created, found } of reports) expect(created + found).toBe(objects.length);
      const [to] = opened.slice(-1);
      expect(to && (await namesAt(to))).toEqual(objects.toSorted());
    });

    test("of ten that publish something else each one wins, whole", async () => {
      const folder = `exports/${++made}`;
      const racing = Array.from({ length: 10 }, async (_, i) =>
        publishObjects(
          await open(folder),
          publicationOf({ parts: [partOf("a", `writer ${i}`)], manifest: Buffer.from(`{"writer":${i}}`) }),
          { authorize },
        ),
      );
      const codes = await Promise.all(racing.map(codeOf));
      expect(codes.filter((code) => code === "done")).toHaveLength(1);
      expect(codes.filter((code) => code === "destination_conflict")).toHaveLength(9);
      const [to] = opened.slice(-1);
      const winner = objectOf(`{"writer":${codes.indexOf("done")}}`);
      expect(await to?.bucket.head(`${to.root}manifest.json`)).toMatchObject({ sha256: winner.sha256 });
    });

    test("killed at any point, it is taken up, and nothing is written again", async () => {
      const points = objects.flatMap((one) =>
        (["before_put", "after_put", "after_check"] as const).map(
          (point): PublicationPoint => `${point} ${one}`,
        ),
      );
      for (const killed of points) {
        const to = await open();
        const at = (point: PublicationPoint) => {
          if (point === killed) throw new Error("killed");
        };
        await expect(publishObjects(to, publicationOf(), { authorize, at })).rejects.toThrow("killed");
        const before = await lookAt(to);
        const isOver = killed === "after_put _COMPLETE" || killed === "after_check _COMPLETE";
        expect(before.some(({ key }) => key === completeName)).toBe(isOver);
        const report = await publishObjects(
          await open(to.root.slice(prefix.length + 1, -1)),
          publicationOf(),
          {
            authorize,
          },
        );
        expect(report).toEqual({ created: objects.length - before.length, found: before.length });
        const after = await lookAt(to);
        expect(after).toEqual(expect.arrayContaining([...before]));
        expect(after.map(({ key }) => key)).toEqual(objects.toSorted());
      }
    }, 120_000);

    test("it ends as soon as it is no longer authorized, without the end", async () => {
      const to = await open();
      let asked = 0;
      const revoked = async () => {
        if (++asked === objects.length) throw new DeliveryError("entitlement_changed");
      };
      const publishing = publishObjects(to, publicationOf(), { authorize: revoked });
      await expect(publishing).rejects.toMatchObject({ code: "entitlement_changed" });
      expect(await namesAt(to)).toEqual(objects.slice(0, -1).toSorted());
    });

    test("a part that was tampered with is refused, and there is no end", async () => {
      const to = await open();
      const [first, second] = names;
      const parts = [partOf(first ?? "", "whole"), partOf(second ?? "", "tampered", "original")];
      expect(await codeOf(publishObjects(to, publicationOf({ parts }), { authorize }))).toBe(
        "object_damaged",
      );
      expect(await namesAt(to)).toEqual([first]);
    });

    test("one that is cut off in the middle of a part leaves none of it, and is taken up", async () => {
      const folder = `exports/${++made}`;
      const cut = new AbortController();
      const opening = { delivery: "d1", folder, signal: cut.signal };
      const to = await brokerage.destinations.open(bucketCustomer, id, opening);
      opened.push(to);
      const [first, second] = [partOf("a", "whole"), partOf("b", "x".repeat(3_000_000))];
      const halfway = {
        ...second,
        open: () =>
          Readable.from(
            (async function* () {
              yield Buffer.alloc(1_000_000, "x");
              cut.abort();
              yield Buffer.alloc(2_000_000, "x");
            })(),
          ),
      };
      const publishing = publishObjects(to, publicationOf({ parts: [first, halfway] }), { authorize });
      await expect(publishing).rejects.toMatchObject({ name: "AbortError" });
      expect(await namesAt(to)).toEqual(["a"]);
      const again = publicationOf({ parts: [first, second] });
      expect(await publishObjects(await open(folder), again, { authorize })).toEqual({
        created: 4,
        found: 1,
      });
    });

    test.each([names[2], "manifest.json"])(
      "%s that is another one when it is looked at ends it",
      async (one = "") => {
        const to = await open();
        const at = async (point: PublicationPoint) => {
          if (point === `after_put ${one}`) await brokerage.write(`${to.root}${one}`, "exchanged meanwhile");
        };
        expect(await codeOf(publishObjects(to, publicationOf(), { authorize, at }))).toBe(
          "destination_conflict",
        );
        expect(await namesAt(to)).not.toContain(completeName);
      },
    );

    test.each([
      ["an object of other bytes", "other bytes", {}, "destination_conflict"],
      [
        "an object that only says to be the same",
        "Bytes of listing-00003.jsonl.gz, more",
        { Metadata: { sha256: objectOf("bytes of listing-00003.jsonl.gz").sha256 } },
        "destination_conflict",
      ],
      [
        "the same object under another key",
        "bytes of listing-00003.jsonl.gz",
        {
          Metadata: { sha256: objectOf("bytes of listing-00003.jsonl.gz").sha256 },
          ServerSideEncryption: "aws:kms",
          SSEKMSKeyId: kmsKeyArns[1],
        },
        "kms_mismatch",
      ],
    ])("%s stays as it is, and ends it", async (_, text, more, code) => {
      const to = await open();
      await brokerage.write(`${to.root}${names[1]}`, text, more);
      const [before] = await lookAt(to);
      expect(await codeOf(publishObjects(to, publicationOf(), { authorize }))).toBe(code);
      const after = await lookAt(to);
      expect(after).toContainEqual(before);
      expect(after.map(({ key }) => key)).not.toContain(completeName);
    });

    test("a delivery is published below its destination's prefix", async () => {
      const delivery = {
        id: "0198f3a2-6c1e-7b57-9a53-0c1d2e3f4a5b",
        customer: bucketCustomer,
        destination: id,
        subscription,
        generation: 2,
        sequence: 14,
      };
      await publishDelivery(brokerage.destinations, delivery, sealedOf(), { authorize });
      const folder = `subscriptions/${delivery.subscription}/00000002/00000014-${delivery.id}/`;
      expect((await brokerage.look(`${prefix}/${folder}`)).map(({ key }) => key)).toEqual(objects.toSorted());
    });

    test("a pointer names the newest delivery of a subscription, and is never put back", async () => {
      const publish = async (sequence: number, options: Partial<PublishOptions> = {}) => {
        const deliveryId = `d${sequence}`;
        const delivery = {
          id: deliveryId,
          customer: bucketCustomer,
          destination: id,
          subscription: `${subscription}-p`,
          generation: example.generation,
          sequence,
        };
        const previous = { ...example.previous, generation: example.generation, sequence: sequence - 1 };
        const publication = sealedOf({ deliveryId, sequence, previous } as Partial<Manifest>);
        await publishDelivery(brokerage.destinations, delivery, publication, { authorize, ...options });
        return createHash("sha256").update(publication.manifest).digest("hex");
      };
      const root = `${prefix}/subscriptions/${subscription}-p`;
      // Read under the role: at some servers the owner may not read what a role has written.
      const pointed = async () => {
        const folder = `subscriptions/${subscription}-p`;
        const session = { delivery: "reader", folder, pointer: null };
        const { bucket } = await brokerage.destinations.open(bucketCustomer, id, session);
        const text = await textAt(bucket, `${root}/latest.json`);
        bucket.close();
        return JSON.parse(text) as object;
      };
      const at = (point: PublicationPoint) => {
        if (point === "before_put latest.json") throw new Error("killed");
      };
      const first = await publish(14);
      const named = (sequence: number) => `0000000${example.generation}/000000${sequence}-d${sequence}`;
      expect(await pointed()).toMatchObject({ path: named(14), sequence: 14, manifestSha256: first });
      await expect(publish(15, { at })).rejects.toThrow("killed");
      expect(await pointed()).toMatchObject({ sequence: 14 });
      // The next publisher goes on with the pointer.
      const second = await publish(15, { isCommitted: true });
      const last = { path: named(15), sequence: 15, manifestSha256: second };
      expect(await pointed()).toMatchObject(last);
      await publish(14);
      expect(await pointed()).toMatchObject(last);
      const folder = (await brokerage.look(`${root}/${named(15)}/`)).map(({ key }) => key);
      expect(folder).toEqual(objects.toSorted());
    });

    test("a bucket that denies overwriting takes deliveries without a pointer, and that is told once", async () => {
      const { destinations } = brokerage;
      const { id: destination, prefix: own, words } = await brokerage.onboard();
      await destinations.verify(bucketCustomer, destination);
      const told: PointerChange[] = [];
      const of = { customer: bucketCustomer, destination, subscription: `${subscription}-n` };
      const publish = (sequence: number) =>
        publishDelivery(
          destinations,
          { ...of, id: `n${sequence}`, generation: example.generation, sequence },
          sealedOf({
            deliveryId: `n${sequence}`,
            sequence,
            previous: { ...example.previous, generation: example.generation, sequence: sequence - 1 },
          } as Partial<Manifest>),
          { authorize, onPointer: (change) => void told.push(change) },
        );
      const find = () => destinations.find(bucketCustomer, destination);
      const latest = `${own}/subscriptions/${subscription}-n/latest.json`;
      // What was advised before there were pointers. The gateway knows no condition on `If-None-Match`.
      const { knowsIfNoneMatch } = serverOf();
      await brokerage.guard(
        withoutOverwriting(
          knowsIfNoneMatch ? `${words["BUCKET"]}/${own}/*` : `${words["BUCKET"]}/${latest}`,
          {
            isConditional: knowsIfNoneMatch,
          },
        ),
      );
      const [first, second, third] = [0, 1, 2].map((after) => example.sequence + after) as [
        number,
        number,
        number,
      ];
      expect(await publish(first)).toMatchObject({ created: objects.length });
      const { state, pointerDenied } = await find();
      expect([state, pointerDenied]).toEqual(["active", expect.any(Number)]);
      expect(told).toEqual([{ ...of, delivery: `n${first}`, isDenied: true }]);
      expect(await publish(second)).toMatchObject({ created: objects.length });
      expect((await find()).pointerDenied).toBe(pointerDenied);
      expect(told).toHaveLength(1);
      expect((await brokerage.look(latest)).length).toBe(0);

      await brokerage.guard(withoutOverwriting(`${words["BUCKET"]}/elsewhere/*`, { isConditional: false }));
      expect(await publish(third)).toMatchObject({ created: objects.length });
      expect((await find()).pointerDenied).toBeNull();
      expect(told.slice(1)).toEqual([{ ...of, delivery: `n${third}`, isDenied: false }]);
      expect((await brokerage.look(latest)).length).toBe(1);
    });

    test("a destination that does not allow it any more is degraded", async () => {
      const { destinations } = brokerage;
      const { id: destination } = await brokerage.onboard();
      await destinations.verify(bucketCustomer, destination);
      serverOf().failWhen(({ method, path }) =>
        method === "PUT" && path.includes("_COMPLETE") ? { status: 403, code: "AccessDenied" } : undefined,
      );
      const delivery = {
        id: "d2",
        customer: bucketCustomer,
        destination,
        subscription: null,
        generation: 1,
        sequence: 0,
      };
      const publishing = publishDelivery(destinations, delivery, publicationOf(), { authorize });
      expect(await codeOf(publishing)).toBe("destination_denied");
      serverOf().failWhen(undefined);
      const degraded = { state: "degraded", failure: "bucket_denied" };
      expect(await destinations.find(bucketCustomer, destination)).toMatchObject(degraded);
      const again = publishDelivery(destinations, delivery, publicationOf(), { authorize });
      expect(await codeOf(again)).toBe("destination_not_active");
    });
  });
}
