import type { BoundNode } from "@cadastre/odata";

/** Returns the node of a string constant. */
export const textNode = (text: string): BoundNode => ({ kind: "Constant", type: "Edm.String", value: text });
