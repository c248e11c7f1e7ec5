import { z } from "zod";
import { manifestShape } from "./manifest.ts";

/** Of a manifest, as JSON Schema (2020-12). The rules of which numbers go together are beyond it. */
export const manifestJsonSchema = (): object => {
  const { $schema, ...schema } = z.toJSONSchema(manifestShape, { target: "draft-2020-12", io: "input" });
  return { $schema, title: "Cadastre delivery manifest, schema version 2", ...schema };
};
