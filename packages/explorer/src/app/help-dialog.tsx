import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

export const showsHelp = signal(false);

/** Keys of the keyboard, by the part of the page that has the focus. */
const shortcuts: readonly (readonly [
  part: string,
  rows: readonly (readonly [keys: string, what: string])[],
])[] = [
  [
    "Everywhere",
    [
      ["/", "Write the filter"],
      ["?", "This help"],
      ["Esc", "Close the record or a dialog"],
    ],
  ],
  [
    "Filter",
    [
      ["Enter", "Run it, or take what the list offers"],
      ["Ctrl Space", "List what fits here"],
    ],
  ],
  [
    "Table",
    [
      ["↑ ↓ ← →", "Move through the cells"],
      ["Enter", "Open the record"],
      ["=", "Only records with the value of the cell"],
    ],
  ],
  [
    "Map",
    [
      ["↑ ↓ ← →", "Move the map"],
      ["+ −", "Zoom"],
      ["0", "Show all points"],
      ["Enter", "Finish a polygon"],
    ],
  ],
];

const isWriting = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.shadowRoot !== null || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

// The keys that work everywhere: `?` opens the help, `/` moves the focus to the filter.
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || isWriting(event.target)) return;
  if (event.key === "?") showsHelp.value = true;
  else if (event.key === "/") {
    const field = document.querySelector<HTMLElement>(".filter-field");
    (field?.shadowRoot?.querySelector<HTMLElement>(".cm-content") ?? field)?.focus();
  } else return;
  event.preventDefault();
});

/** Dialog that says what the page does, and its keys. */
export function HelpDialog({ onClose }: { readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog class="dialog" ref={dialog} onClose={onClose} aria-labelledby="help-title">
      <div class="dialog-head">
        <h2 id="help-title">Help</h2>
        <button type="button" class="button" onClick={() => dialog.current?.close()}>
          Done
        </button>
      </div>
      <div class="help">
        <p>
          Write a <code>$filter</code>, or click values to narrow. The address of the page is the query: send
          it to somebody, who sees what their own key may see. Compare shows the same query under a second
          key.
        </p>
        {shortcuts.map(([part, rows]) => (
          <section key={part}>
            <h3>{part}</h3>
            <dl>
              {rows.map(([keys, what]) => (
                <div key={keys}>
                  <dt>
                    <kbd>{keys}</kbd>
                  </dt>
                  <dd>{what}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </dialog>
  );
}
