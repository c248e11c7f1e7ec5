import { type RecordForm, typesOf, writeRecords } from "@cadastre/odata/run";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { WritableStore } from "../../src/index.ts";
import { ask, listings, records } from "../support/listings.ts";
import { type Harness, openEmpty } from "./harness.ts";

const types = typesOf(listings.type);

const control = {
  typeName: "Model.Property",
  resource: "https://example.org/Property",
  keys: ["ListingKey"],
  hidden: [],
  navigation: [],
  tagged: ["json"],
};

/** Pages whose records are written in another form. */
export function forms(harness: Harness): void {
  describe("a page in another form", () => {
    let store: WritableStore;
    beforeAll(async () => {
      store = await openEmpty(harness);
      const [first] = records;
      const thousand = Array.from({ length: 1000 }, (_, i) => ({
        ...first,
        ...records[i % records.length],
        record: { ...records[i % records.length]?.record, ListingKey: `key ${i}` },
      })) as unknown as typeof records;
      await store.commit(thousand);
    });
    afterAll(() => store.close());

    const of: readonly (readonly [string, RecordForm])[] = [
      ["IEEE754 numbers", { ieee754: true, types }],
      ["full metadata", { ieee754: false, types, control }],
      ["both", { ieee754: true, types, control }],
    ];

    test.each(of)("with %s has the bytes of the plain page, written anew", async (_name, form) => {
      for (const nulls of [true, false]) {
        const plain = await store.page(ask({ top: 1000 }), { nulls });
        const expected = Buffer.from(writeRecords(plain.records, form));
        plain.release?.();
        const [page, beside] = await Promise.all([
          store.page(ask({ top: 1000 }), { nulls, form }),
          store.page(ask({ top: 1000 }), { nulls, form }),
        ]);
        expect([page.length, page.next]).toEqual([1000, plain.next]);
        for (const { records: written } of [page, beside]) expect(Buffer.compare(written, expected)).toBe(0);
        for (const { release } of [page, beside]) release?.();
      }
    });

    test("has the same bytes in every database", async () => {
      const asked = ask({
        select: "ListingKey,ListPrice,YearBuilt,Appliances",
        filter: "ListingKey eq 'key 5'",
      });
      const { records: written } = await store.page(asked, { form: { ieee754: true, types, control } });
      expect(Buffer.from(written).toString()).toMatchInlineSnapshot(
        `"{"@odata.type":"#Model.Property","@odata.id":"https://example.org/Property('key%205')","@odata.etag":"\\"KiztzgOyBwuIkdq1oHspzw\\"","@odata.readLink":"https://example.org/Property('key%205')","ListingKey":"key 5","ListPrice@odata.type":"#Decimal","ListPrice":"1000000000000","YearBuilt@odata.type":"#Int64","YearBuilt":"2020","Appliances@odata.type":"#Collection(String)","Appliances":["Oven","Range"]}"`,
      );
    });
  });
}
