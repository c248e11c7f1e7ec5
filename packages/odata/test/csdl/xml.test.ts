import { expect, test } from "vitest";
import { writeCsdlXml } from "../../src/csdl/index.ts";
import { listing } from "../support/listing.ts";

test("a model is written as CSDL XML", async () => {
  const model = { namespace: "org.reso.metadata", container: "RESO", entitySets: [listing] };
  await expect(writeCsdlXml(model)).toMatchFileSnapshot("golden/listing.xml");
});
