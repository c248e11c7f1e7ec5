import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { address } from "../address/current-address.ts";
import { addressOf } from "../api/request.ts";
import { shownColumns, shownKeyName } from "../query/current-query.ts";
import { type CopiedQuery, type CopyForm, copyForms } from "./copied-query.ts";
import "./copy.css";

function currentQuery(): CopiedQuery {
  const { entitySet, filter, orderBy } = address.value;
  const names = shownColumns.value.map(({ name }) => name);
  return {
    service: addressOf("reso/odata").href,
    entitySet,
    options: {
      $filter: filter,
      $select: [...new Set([shownKeyName.value, ...names])].join(","),
      $orderby: orderBy,
      $top: "100",
    },
  };
}

/** Dialog with the query as a program. */
export function CopyDialog({ onClose }: { readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const form = useSignal<CopyForm>("curl");
  const copied = useSignal(false);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  const text = copyForms[form.value].print(currentQuery());
  return (
    <dialog class="dialog copy" ref={dialog} onClose={onClose} aria-labelledby="copy-title">
      <div class="dialog-head">
        <h2 id="copy-title">Copy the query as</h2>
        <button type="button" class="button" onClick={() => dialog.current?.close()}>
          Done
        </button>
      </div>
      <div class="copy-forms">
        {Object.entries(copyForms).map(([name, { title }]) => (
          <button
            key={name}
            type="button"
            class="button button-small"
            aria-pressed={form.value === name}
            onClick={() => {
              form.value = name as CopyForm;
              copied.value = false;
            }}
          >
            {title}
          </button>
        ))}
      </div>
      <textarea class="copy-text" readOnly spellcheck={false} aria-label="Program text" value={text} />
      <div class="dialog-foot">
        <p class="quiet">
          The key is not in the text: put it into the environment variable <code>CADASTRE_KEY</code>.
        </p>
        <button
          type="button"
          class="button button-main"
          onClick={() => {
            void navigator.clipboard.writeText(text).then(() => {
              copied.value = true;
            });
          }}
        >
          {copied.value ? "Copied" : "Copy"}
        </button>
      </div>
    </dialog>
  );
}
