import { expect, test } from "vitest";
import { writeCsdlXml } from "../../src/csdl/index.ts";
import { listing } from "../support/listing.ts";

test("every text of an annotation is written as a value that XML readers give back", () => {
  const annotations = [{ term: "Org.OData.Core.V1.Description", value: "a\tb\r\n<&>\"'\u0001\ud800😀" }];
  const model = { namespace: "Sales", container: "All", entitySets: [{ ...listing, annotations }] };
  expect(writeCsdlXml(model)).toContain('String="a&#x9;b&#xD;&#xA;&lt;&amp;&gt;&quot;\'\ufffd\ufffd😀"/>');
});

test("a model is written as CSDL XML", async () => {
  const model = { namespace: "org.reso.metadata", container: "RESO", entitySets: [listing] };
  await expect(writeCsdlXml(model)).toMatchFileSnapshot("golden/listing.xml");
});
