/** The keys named `Key` of records as a store gives them. */
export const keysOfJson = (records: Uint8Array): readonly unknown[] =>
  (JSON.parse(`[${Buffer.from(records).toString()}]`) as readonly { readonly Key: unknown }[]).map(
    ({ Key }) => Key,
  );
