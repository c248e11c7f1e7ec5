/*
 * Whether `$metadata` is valid against the XML schemas of OASIS, as each customer of the demo gets it in each version,
 * and as it is of all sets.
 *
 *   node --conditions=@cadastre/source --import ./scripts/source.mjs packages/service/conformance/metadata.ts <folder>
 *
 * The folder holds `edmx.xsd` and `edm.xsd`; the npm package odata-csdl has them in `schemas`. Prints a line for each
 * document; the exit code is 1 where one is not valid.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { writeCsdlXml } from "@cadastre/odata/csdl";
import { sampleCatalog } from "@cadastre/sample/catalog";
import { validateXML, type XMLFileInfo } from "xmllint-wasm";
import { demoCustomers } from "../src/demo/customers.ts";
import { ask } from "../test/support/ask.ts";
import { run } from "../test/support/running.ts";

const { model: entityModel } = sampleCatalog;

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("expected the folder of edmx.xsd and edm.xsd");

const schemaOf = (fileName: string): XMLFileInfo => ({
  fileName,
  contents: readFileSync(join(folder, fileName)),
});
const [schema, preload] = [schemaOf("edmx.xsd"), schemaOf("edm.xsd")];

const errorsOf = async (contents: string): Promise<readonly string[]> => {
  const xml = { fileName: "metadata.xml", contents };
  const { valid, errors } = await validateXML({ xml, schema, preload });
  return valid ? [] : [`${errors.length} errors`, ...errors.slice(0, 5).map(({ message }) => message)];
};

let failed = 0;
async function report(name: string, document: string): Promise<void> {
  const errors = await errorsOf(document);
  if (errors.length > 0) failed++;
  const verdict = errors.length === 0 ? "valid" : `not valid: ${errors.join("\n    ")}`;
  console.log(`  ${name}, ${document.length} characters: ${verdict}`);
}

const running = await run({ CADASTRE_LISTINGS: "60" });
try {
  for (const version of ["4.0", "4.01"] as const) {
    const whole = writeCsdlXml(entityModel, version);
    await report(`all sets, ${version}`, whole);
    if ((await errorsOf(whole.replace("<Property Name", "<Property Nome"))).length === 0)
      throw new Error("the schemas refuse nothing");
    for (const { name } of demoCustomers) {
      const headers = { "x-api-key": running.key(name), "odata-maxversion": version };
      const { text } = await ask(running.service.baseUrl, "/reso/odata/$metadata", headers);
      await report(`${name}, ${version}`, text);
    }
  }
} finally {
  await running.stop();
}
process.exitCode = failed === 0 ? 0 : 1;
