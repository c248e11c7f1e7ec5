import { signal } from "@preact/signals";
import { firstModel, secondModel } from "../query/current-query.ts";
import { compareWith, firstKey, namedKeys, secondKey, useKey } from "../session/api-keys.ts";
import { KeysDialog } from "../session/keys-dialog.tsx";
import { formatCount } from "../table/format.ts";
import { switchTheme, theme } from "../theme/theme.ts";
import { HelpDialog, showsHelp } from "./help-dialog.tsx";

const showsKeys = signal(false);

type ChooserProperties = {
  readonly side: "first" | "second";
  readonly label: string;
  readonly value: string;
  readonly names: readonly string[];
  readonly onChoose: (name: string) => void;
};

/** Chooser of a key, with the number of fields of Property that the key sees. */
function KeyChooser({ side, label, value, names, onChoose }: ChooserProperties) {
  const model = (side === "first" ? firstModel : secondModel).value.value;
  const fields = model?.entitySets.find(({ name }) => name === "Property")?.type.properties.size;
  return (
    <label class={`key-chooser key-${side}`}>
      <span class="key-label">{label}</span>
      <select value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
        {names.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
      {fields !== undefined && <small>{formatCount(fields)} fields</small>}
    </label>
  );
}

function Keys() {
  const keys = namedKeys.value;
  const [first, second] = [firstKey.value, secondKey.value];
  if (first === undefined) return null;
  const others = keys.map(({ name }) => name).filter((name) => name !== first.name);
  return (
    <div class="header-keys">
      <KeyChooser
        side="first"
        label="Key"
        value={first.name}
        names={keys.map(({ name }) => name)}
        onChoose={useKey}
      />
      {second === undefined ? (
        <button
          type="button"
          class="button"
          onClick={() => {
            const [other] = others;
            if (other === undefined) showsKeys.value = true;
            else compareWith(other);
          }}
        >
          + Compare
        </button>
      ) : (
        <>
          <span class="header-versus">and</span>
          <KeyChooser side="second" label="Key" value={second.name} names={others} onChoose={compareWith} />
          <button
            type="button"
            class="button button-quiet"
            aria-label="End the comparison"
            title="End the comparison"
            onClick={() => compareWith("")}
          >
            ×
          </button>
        </>
      )}
    </div>
  );
}

/** Head of the page: the keys in use, and links. */
export function Header() {
  return (
    <header class="header">
      <a class="brand" href="#/Property" aria-label="Cadastre, all listings">
        <svg viewBox="0 0 32 32" aria-hidden="true">
          <rect x="2" y="2" width="28" height="28" rx="7" />
          <path d="M9 9h6v5H9zM9 17h6v6H9zM18 9h5v8h-5zM18 20h5v3h-5z" />
        </svg>
        <span>Cadastre</span>
      </a>
      <Keys />
      <nav class="header-links" aria-label="Service">
        <a href="reference">API reference</a>
        <a href="openapi.json">OpenAPI</a>
        {firstKey.value !== undefined && (
          <button
            type="button"
            class="button button-quiet"
            onClick={() => {
              showsKeys.value = true;
            }}
          >
            Keys
          </button>
        )}
        <button
          type="button"
          class="button button-quiet help-button"
          aria-label="Help"
          title="Help (?)"
          onClick={() => {
            showsHelp.value = true;
          }}
        >
          ?
        </button>
        <button
          type="button"
          class="button button-quiet"
          aria-label={theme.value === "dark" ? "Light colours" : "Dark colours"}
          title={theme.value === "dark" ? "Light colours" : "Dark colours"}
          onClick={switchTheme}
        >
          <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
            <circle cx="12" cy="12" r="8" />
            <path class="icon-filled" d="M12 4a8 8 0 0 1 0 16z" />
          </svg>
        </button>
      </nav>
      {showsHelp.value && (
        <HelpDialog
          onClose={() => {
            showsHelp.value = false;
          }}
        />
      )}
      {showsKeys.value && (
        <KeysDialog
          onClose={() => {
            showsKeys.value = false;
          }}
        />
      )}
    </header>
  );
}
