import type { NewApiKey } from "@cadastre/store/registry";
import { createApiKey, visiblePrefix } from "./key-text.ts";
import { digestApiKey, type Peppers } from "./pepper.ts";

/** A new API key: its text, to be shown once, and what is kept of it. */
export type IssuedKey = { readonly apiKey: string; readonly kept: Omit<NewApiKey, "customer"> };

/**
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
