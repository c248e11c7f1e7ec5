import type { BoundNode } from "@cadastre/odata";

/** The constant `text`. */
export const textNode = (text: string): BoundNode => ({ kind: "Constant", type: "Edm.String", value: text });
