import { expect, test } from "vitest";
import { writeCsdlJson } from "../../src/csdl/index.ts";
import { listing } from "../support/listing.ts";

test("a model is written as CSDL JSON", async () => {
  const model = { namespace: "org.reso.metadata", container: "RESO", entitySets: [listing] };
  const text = `${JSON.stringify(JSON.parse(writeCsdlJson(model)), null, 2)}\n`;
  await expect(text).toMatchFileSnapshot("golden/listing.json");
});
