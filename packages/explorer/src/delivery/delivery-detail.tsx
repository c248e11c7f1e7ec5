import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { addressOf } from "../api/request.ts";
import { firstKey } from "../session/api-keys.ts";
import { formatCount, formatShort } from "../table/format.ts";
import {
  type CheckStep,
  checkDelivery,
  type FetchedManifest,
  mostBytes,
  requestManifest,
} from "./delivery-check.ts";
import type { ShownDelivery } from "./delivery-list.ts";

/** Command that fetches and loads a delivery. The key is in the environment. */
const commandOf = (id: string): string => {
  const origin = addressOf(".").href.replace(/\/$/, "");
  return `CADASTRE_API_KEY="$CADASTRE_KEY" npx @cadastre/client pull ${id} --url ${origin} --into sqlite:copy.sqlite`;
};

const marks = (holds: boolean | undefined): string => (holds === undefined ? "·" : holds ? "✓" : "✗");

function Steps({ steps }: { readonly steps: readonly CheckStep[] }) {
  return (
    <ol class="check-steps" aria-live="polite">
      {steps.map(({ title, holds }) => (
        <li key={title} class={holds === undefined ? "quiet" : holds ? "check-holds" : "check-fails"}>
          <span aria-hidden="true">{marks(holds)}</span>
          <span>
            {title}
            {holds === false && ": no"}
          </span>
        </li>
      ))}
    </ol>
  );
}

/** Manifest of a delivery, and its check. */
export function DeliveryDetail({ delivery }: { readonly delivery: ShownDelivery }) {
  const fetched = useSignal<FetchedManifest | undefined>(undefined);
  const fault = useSignal("");
  const steps = useSignal<readonly CheckStep[]>([]);
  const copied = useSignal(false);
  const apiKey = firstKey.value?.apiKey;

  useEffect(() => {
    const controller = new AbortController();
    if (apiKey === undefined) return undefined;
    requestManifest(delivery.id, apiKey, controller.signal).then(
      (manifest) => {
        fetched.value = manifest;
      },
      (error: unknown) => {
        if (!controller.signal.aborted) fault.value = error instanceof Error ? error.message : String(error);
      },
    );
    return () => controller.abort();
  }, [delivery.id, apiKey, fetched, fault]);

  const manifest = fetched.value;
  if (fault.value !== "") return <p class="key-fault">{fault.value}</p>;
  if (manifest === undefined || apiKey === undefined) return <p class="quiet">Reading the manifest …</p>;
  const bytes = manifest.parts.reduce((sum, { length }) => sum + length, 0);
  return (
    <div class="delivery-detail">
      <p class="quiet">
        Manifest <code>{manifest.sha256.slice(0, 16)}…</code>,{" "}
        {manifest.parts.length === 1 ? "one part" : `${manifest.parts.length} parts`}, {formatShort(bytes)}B
      </p>
      <table class="parts">
        <thead>
          <tr>
            <th scope="col">Part</th>
            <th scope="col">Rows</th>
            <th scope="col">Bytes</th>
            <th scope="col">SHA-256</th>
          </tr>
        </thead>
        <tbody>
          {manifest.parts.map((part) => (
            <tr key={part.number}>
              <td>{part.name}</td>
              <td>{formatCount(part.rows)}</td>
              <td>{formatCount(part.length)}</td>
              <td>
                <code>{part.sha256.slice(0, 12)}…</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <div class="delivery-actions">
        <button
          type="button"
          class="button button-main"
          disabled={bytes > mostBytes}
          onClick={() => {
            void checkDelivery(delivery.id, manifest, apiKey, (now) => {
              steps.value = now;
            });
          }}
        >
          Verify here
        </button>
        <button
          type="button"
          class="button"
          title={commandOf(delivery.id)}
          onClick={() => {
            void navigator.clipboard.writeText(commandOf(delivery.id)).then(() => {
              copied.value = true;
            });
          }}
        >
          {copied.value ? "Copied" : "Copy the command"}
        </button>
      </div>
      <Steps steps={steps.value} />
    </div>
  );
}
