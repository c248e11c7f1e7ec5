/** Returns the values of `Key` in the records of a page. */
export const keysOfJson = (records: Uint8Array): readonly unknown[] =>
  (JSON.parse(`[${Buffer.from(records).toString()}]`) as readonly { readonly Key: unknown }[]).map(
    ({ Key }) => Key,
  );
