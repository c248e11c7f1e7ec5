import { type ReadonlySignal, signal } from "@preact/signals";
import { isRecord } from "../api/json.ts";
import { serviceErrorOf } from "../api/service-error.ts";
import { addKeys, keepForTab } from "./api-keys.ts";

const fault = signal("");

/** Why the sign-in of the address failed. Empty if it did not, or there was none. */
export const signInFault: ReadonlySignal<string> = fault;

const codeOf = (fragment: string): string | undefined => /^#\/?sign-in=([\w.~-]+)$/.exec(fragment)?.[1];

/** Exchanges the one-time code of `#sign-in=<code>` for the keys of the demo, and removes it from the address first. */
export async function signIn(): Promise<void> {
  const code = codeOf(location.hash);
  if (code === undefined) return;
  history.replaceState(null, "", location.pathname + location.search);
  const response = await fetch(new URL("demo-keys", document.baseURI), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code }),
    credentials: "omit",
  });
  const body: unknown = await response.json();
  if (!response.ok) {
    fault.value = serviceErrorOf(response.status, body).message;
    return;
  }
  const data = isRecord(body) && Array.isArray(body["data"]) ? body["data"] : [];
  const keys = data.flatMap((item: unknown) =>
    isRecord(item) && typeof item["name"] === "string" && typeof item["apiKey"] === "string"
      ? [
          {
            name: item["name"],
            apiKey: item["apiKey"],
            summary: typeof item["summary"] === "string" ? item["summary"] : "",
          },
        ]
      : [],
  );
  addKeys(keys);
  // A code works once: without this, the keys of a demo would be gone when the page is loaded again.
  keepForTab(true);
}
