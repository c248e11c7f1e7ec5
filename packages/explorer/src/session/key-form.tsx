import { useSignal } from "@preact/signals";
import { modelOf } from "../model/service-model.ts";
import { addKeys, isKept, keepForTab, namedKeys } from "./api-keys.ts";
import "./session.css";

const freeName = (): string => {
  const names = new Set(namedKeys.value.map(({ name }) => name));
  for (let number = 1; ; number += 1) if (!names.has(`key ${number}`)) return `key ${number}`;
};

/** Form that takes a key, after the service has accepted it. */
export function KeyForm({ onDone }: { readonly onDone: () => void }) {
  const text = useSignal("");
  const fault = useSignal("");
  const isAsking = useSignal(false);

  const add = async () => {
    const apiKey = text.value.trim();
    if (apiKey === "") return;
    isAsking.value = true;
    fault.value = "";
    try {
      await modelOf(apiKey);
      addKeys([{ name: freeName(), apiKey, summary: "" }]);
      text.value = "";
      onDone();
    } catch (error) {
      fault.value = error instanceof Error ? error.message : String(error);
    } finally {
      isAsking.value = false;
    }
  };

  return (
    <form
      class="key-form"
      onSubmit={(event) => {
        event.preventDefault();
        void add();
      }}
    >
      <label for="new-key">API key</label>
      <div class="key-form-line">
        <input
          id="new-key"
          type="password"
          autocomplete="off"
          placeholder="cadastre_…"
          value={text.value}
          aria-describedby="key-fault"
          onInput={(event) => {
            text.value = event.currentTarget.value;
          }}
        />
        <button type="submit" class="button button-main" disabled={isAsking.value}>
          {isAsking.value ? "Asking …" : "Use it"}
        </button>
      </div>
      <p id="key-fault" class="key-fault" role="alert">
        {fault.value}
      </p>
      <label class="key-keep">
        <input
          type="checkbox"
          checked={isKept.value}
          onChange={(event) => keepForTab(event.currentTarget.checked)}
        />
        Keep for this tab
      </label>
    </form>
  );
}
