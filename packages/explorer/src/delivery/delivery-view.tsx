import { signal } from "@preact/signals";
import { DeliveryDetail } from "./delivery-detail.tsx";
import {
  askForExport,
  completeDeliveries,
  exportDomains,
  isEnded,
  openDeliveries,
  type ShownDelivery,
  subscriptions,
} from "./delivery-list.ts";
import "./delivery.css";

const openId = signal("");
const domain = signal("");
const narrowing = { filter: signal(""), fields: signal(""), asOf: signal("") } as const;
const fault = signal("");

const titles: Readonly<Record<string, string>> = {
  property: "Physical properties",
  listing: "Listings",
  public_record: "Public records",
  market_report: "Market reports",
  member: "Members",
  office: "Offices",
  open_house: "Open houses",
  lookup: "Lookup values",
};

const titleOfDomain = (name: string): string => titles[name] ?? name;

function cadenceText(seconds: number): string {
  if (seconds % 86_400 === 0) return seconds === 86_400 ? "every day" : `every ${seconds / 86_400} days`;
  return seconds % 3600 === 0 ? `every ${seconds / 3600} h` : `every ${Math.round(seconds / 60)} min`;
}

/** Inputs for what an export is narrowed to, with their labels and examples. */
const narrowingInputs = [
  ["filter", "Filter", "StateOrProvince eq 'TX'"],
  ["fields", "Fields", "City, ListPrice"],
  ["asOf", "As of", "2026-11-21T04:00:00Z"],
] as const;

function Narrowing() {
  return (
    <details class="export-narrowing">
      <summary>Only some of it</summary>
      <div class="panel-form">
        {narrowingInputs.map(([name, label, example]) => (
          <label key={name}>
            {label}
            <input
              type="text"
              spellcheck={false}
              placeholder={example}
              value={narrowing[name].value}
              onInput={(event) => {
                narrowing[name].value = event.currentTarget.value;
              }}
            />
          </label>
        ))}
      </div>
    </details>
  );
}

function NewExport() {
  const offered = exportDomains.value.value ?? [];
  const chosen = offered.includes(domain.value) ? domain.value : (offered[0] ?? "");
  return (
    <form
      class="panel-form"
      onSubmit={(event) => {
        event.preventDefault();
        fault.value = "";
        const { filter, fields, asOf } = narrowing;
        const asked = { filter: filter.value, fields: fields.value, asOf: asOf.value };
        askForExport({ domain: chosen, ...asked }).catch((error: unknown) => {
          fault.value = error instanceof Error ? error.message : String(error);
        });
      }}
    >
      <label>
        Export
        <select
          value={chosen}
          onChange={(event) => {
            domain.value = event.currentTarget.value;
          }}
        >
          {offered.map((name) => (
            <option key={name} value={name}>
              {titleOfDomain(name)}
            </option>
          ))}
        </select>
      </label>
      <button type="submit" class="button button-main" disabled={chosen === ""}>
        Create
      </button>
      <Narrowing />
    </form>
  );
}

function DeliveryRow({ delivery }: { readonly delivery: ShownDelivery }) {
  const isOpen = openId.value === delivery.id;
  const canOpen = delivery.status === "complete";
  return (
    <li class="delivery">
      <button
        type="button"
        class="delivery-head"
        aria-expanded={canOpen ? isOpen : undefined}
        disabled={!canOpen}
        onClick={() => {
          openId.value = isOpen ? "" : delivery.id;
        }}
      >
        <strong>{titleOfDomain(delivery.domain)}</strong>
        <span class="quiet">{delivery.createdAt.slice(0, 16).replace("T", " ")}</span>
        <span class={`delivery-status delivery-${delivery.status}`}>
          {delivery.status}
          {delivery.parts !== undefined && delivery.status === "building" && `, ${delivery.parts} parts`}
        </span>
      </button>
      {!isEnded(delivery) && <progress aria-label={`${titleOfDomain(delivery.domain)} in progress`} />}
      {delivery.failure !== undefined && <p class="key-fault">{delivery.failure}</p>}
      {isOpen && <DeliveryDetail delivery={delivery} />}
    </li>
  );
}

/** Exports and subscriptions of the key. */
export function DeliveryView() {
  const { value, error } = completeDeliveries.value;
  const shown = [...openDeliveries.value, ...(value ?? [])];
  const recurring = subscriptions.value.value ?? [];
  if (error !== undefined)
    return (
      <section class="panel" aria-label="Delivery">
        <div class="empty" role="alert">
          <h2>No deliveries with this key</h2>
          <p>{error.message}</p>
        </div>
      </section>
    );
  return (
    <section class="panel" aria-label="Delivery">
      <header class="panel-head">
        <div>
          <h2>Take it whole</h2>
          <p class="quiet">
            An export is built as of one moment, in parts that a signed manifest names by their hashes. It
            never changes afterwards.
          </p>
        </div>
        <NewExport />
      </header>
      {fault.value !== "" && <p class="key-fault">{fault.value}</p>}
      {shown.length === 0 && <p class="quiet">There are no exports yet.</p>}
      <ul class="deliveries">
        {shown.map((delivery) => (
          <DeliveryRow key={delivery.id} delivery={delivery} />
        ))}
      </ul>
      <h2 class="panel-part">Subscriptions</h2>
      {recurring.length === 0 && (
        <p class="quiet">
          None. A subscription goes on with what changes: <code>cadastre-client subscribe</code> makes one.
        </p>
      )}
      <ul class="deliveries">
        {recurring.map(({ id, name, domain: its, status, cadence }) => (
          <li key={id} class="delivery">
            <div class="delivery-head">
              <strong>{name}</strong>
              <span class="quiet">
                {titleOfDomain(its)}, {cadenceText(cadence)}
              </span>
              <span class={`delivery-status delivery-${status}`}>{status}</span>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
