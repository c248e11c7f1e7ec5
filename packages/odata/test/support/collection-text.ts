import type { StructuralProperty } from "../../src/index.ts";

/** A collection as a column holds it: integers of any size are JSON numbers there. */
export const collectionText = ({ type }: StructuralProperty, items: unknown): string => {
  const texts = ((items ?? []) as readonly unknown[]).map((item) =>
    type === "Edm.Int64" ? String(item) : JSON.stringify(item),
  );
  return `[${texts.join()}]`;
};
