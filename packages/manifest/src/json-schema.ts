import { z } from "zod";
import { manifestShape } from "./manifest.ts";

/** Returns the JSON Schema (2020-12) of a manifest. The rules between members (`rules.ts`) cannot be expressed in it. */
export const manifestJsonSchema = (): object => {
  const { $schema, ...schema } = z.toJSONSchema(manifestShape, { target: "draft-2020-12", io: "input" });
  return { $schema, title: "Cadastre delivery manifest, schema version 2", ...schema };
};
