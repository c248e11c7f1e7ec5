import type { StructuralProperty } from "../../src/index.ts";

/** Returns a collection as the JSON text that a column holds, with integers of any size as JSON numbers. */
export const collectionText = ({ type }: StructuralProperty, items: unknown): string => {
  const texts = ((items ?? []) as readonly unknown[]).map((item) =>
    type === "Edm.Int64" ? String(item) : JSON.stringify(item),
  );
  return `[${texts.join()}]`;
};
