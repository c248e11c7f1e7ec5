import type { NewApiKey } from "@cadastre/store/registry";
import { digestApiKey, type Peppers } from "../data/pepper.ts";
import { createApiKey, visiblePrefix } from "./key-text.ts";

/** A new API key: its text, which is shown once, and the record that the registry stores. */
export type IssuedKey = { readonly apiKey: string; readonly kept: Omit<NewApiKey, "customer"> };

/**
 * Creates an API key.
 *
 * @param expires milliseconds since 1970; null: never
 * @param apiKey text of the key; by default a new one
 */
export function issueApiKey(
  [current]: Peppers,
  expires: number | null,
  apiKey: string = createApiKey(),
): IssuedKey {
  return { apiKey, kept: { prefix: visiblePrefix(apiKey), ...digestApiKey(apiKey, current), expires } };
}
