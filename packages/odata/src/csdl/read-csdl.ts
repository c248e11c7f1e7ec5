import { type CsdlDocument, CsdlError } from "./csdl-document.ts";
import { readCsdlJson } from "./read-csdl-json.ts";
import { readCsdlXml } from "./read-csdl-xml.ts";

/**
 * Reads the `$metadata` of a service, in XML or JSON. Source: OData CSDL XML 4.01, OData CSDL JSON 4.01; documents of version 4.0 are read as
 * well.
 *
 * @throws {CsdlError} if it is not such a document, or has no entity set
 */
export function readCsdl(text: string): CsdlDocument {
  const plain = text.replace(/^\uFEFF/, "");
  const document = plain.trimStart().startsWith("<") ? readCsdlXml(plain) : readCsdlJson(plain);
  if (document.entitySets.size > 0) return document;
  throw new CsdlError(
    "invalid_csdl",
    "the document has no entity set: give the `$metadata` of a service, not a part of it",
  );
}
