import { useEffect, useRef } from "preact/hooks";
import { firstKey, forgetKeys, namedKeys, useKey } from "./api-keys.ts";
import { KeyForm } from "./key-form.tsx";

/** Dialog with the keys of the session: use one, add one, forget all. */
export function KeysDialog({ onClose }: { readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog class="dialog" ref={dialog} onClose={onClose} aria-labelledby="keys-title">
      <div class="dialog-head">
        <h2 id="keys-title">Keys</h2>
        <button type="button" class="button" onClick={() => dialog.current?.close()}>
          Done
        </button>
      </div>
      <ul class="key-list">
        {namedKeys.value.map(({ name, summary }) => (
          <li key={name} class={firstKey.value?.name === name ? "key-used" : ""}>
            <div>
              <strong>{name}</strong>
              <p>{summary || "A key of your own."}</p>
            </div>
            <button
              type="button"
              class="button"
              disabled={firstKey.value?.name === name}
              onClick={() => useKey(name)}
            >
              {firstKey.value?.name === name ? "In use" : "Use"}
            </button>
          </li>
        ))}
      </ul>
      <KeyForm onDone={() => {}} />
      <div class="dialog-foot">
        <p class="quiet">Keys stay in this tab. They are sent to this service alone, in a header.</p>
        <button
          type="button"
          class="button button-danger"
          onClick={() => {
            forgetKeys();
            dialog.current?.close();
          }}
        >
          Forget all keys
        </button>
      </div>
    </dialog>
  );
}
