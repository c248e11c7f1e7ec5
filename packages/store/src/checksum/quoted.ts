/** A name as SQL text. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
