import type { ReadonlySignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { address, go } from "../address/current-address.ts";
import type { JsonObject } from "../api/json.ts";
import { shownSet } from "../query/current-query.ts";
import type { Loaded } from "../query/loaded.ts";
import { firstKey, secondKey } from "../session/api-keys.ts";
import { formatCount, statusClass } from "../table/format.ts";
import { FieldDifferences } from "./field-differences.tsx";
import { FieldList } from "./field-list.tsx";
import { Photos } from "./photos.tsx";
import { PropertyHistory } from "./property-history.tsx";
import "./record.css";
import { openRecord, openRecordOfSecond, related } from "./record-data.ts";

const textOf = (record: JsonObject, ...names: readonly string[]): string => {
  const found = names.map((name) => record[name]).find((value) => value !== undefined && value !== null);
  return typeof found === "string" || typeof found === "number" ? String(found) : "";
};

/** Facts that a listing begins with: those that it has. */
function factsOf(record: JsonObject): readonly string[] {
  const amount = (name: string, unit: string) => {
    const value = record[name];
    return typeof value === "number" ? [`${formatCount(value)} ${unit}`] : [];
  };
  return [
    ...amount("BedroomsTotal", "beds"),
    ...amount("BathroomsTotalInteger", "baths"),
    ...amount("LivingArea", "sq ft"),
    ...amount("LotSizeAcres", "acres"),
    ...amount("YearBuilt", "").map((text) => `built ${text.replace(",", "").trim()}`),
  ];
}

function RecordTitle({ record, fallback }: { readonly record: JsonObject; readonly fallback: string }) {
  const price = record["ListPrice"];
  const status = textOf(record, "StandardStatus");
  const title = textOf(record, "UnparsedAddress", "MemberFullName", "OfficeName", "LookupValue", "City");
  return (
    <div class="record-title">
      <h2>{title || fallback}</h2>
      <p>
        {typeof price === "number" && <strong>${formatCount(price)}</strong>}
        {status !== "" && <span class={`status status-${statusClass(status)}`}>{status}</span>}
        {factsOf(record).map((fact) => (
          <span key={fact}>{fact}</span>
        ))}
      </p>
      <p class="quiet">
        {[textOf(record, "OriginatingSystemName"), fallback].filter((text) => text !== "").join(" · ")}
      </p>
    </div>
  );
}

function Contact({ title, record }: { readonly title: string; readonly record: JsonObject | undefined }) {
  if (record === undefined) return null;
  const name = textOf(record, "MemberFullName", "OfficeName", "MemberKey", "OfficeKey");
  const rest = [
    textOf(record, "MemberEmail", "OfficeEmail"),
    textOf(record, "MemberPreferredPhone", "MemberDirectPhone", "OfficePhone"),
    textOf(record, "MemberCity", "OfficeCity"),
  ];
  return (
    <div class="contact">
      <small>{title}</small>
      <strong>{name}</strong>
      {rest.filter(Boolean).map((line) => (
        <span key={line}>{line}</span>
      ))}
    </div>
  );
}

function OpenHouses({ records }: { readonly records: readonly JsonObject[] }) {
  if (records.length === 0) return null;
  return (
    <section class="record-part">
      <h3>Open houses</h3>
      <ul>
        {records.map((one) => (
          <li key={String(one["OpenHouseKey"])}>
            {textOf(one, "OpenHouseDate")} {textOf(one, "OpenHouseStartTime").slice(11, 16)}{" "}
            {textOf(one, "OpenHouseType")}
          </li>
        ))}
      </ul>
    </section>
  );
}

const recordsOf = (signal: ReadonlySignal<Loaded<readonly JsonObject[]>>) => signal.value.value ?? [];

function RecordBody({ record }: { readonly record: JsonObject }) {
  const fields = [...(shownSet.value?.type.properties.values() ?? [])];
  const [first, second] = [firstKey.value, secondKey.value];
  const [agent, office] = [recordsOf(related.agent)[0], recordsOf(related.office)[0]];
  const history = recordsOf(related.sameProperty);
  const remarks = textOf(record, "PublicRemarks");
  return (
    <>
      <RecordTitle record={record} fallback={address.value.record} />
      {first !== undefined && second !== undefined && !openRecordOfSecond.value.isLoading && (
        <FieldDifferences
          first={record}
          second={openRecordOfSecond.value.value}
          fields={fields}
          names={[first.name, second.name]}
        />
      )}
      <Photos key={address.value.record} media={recordsOf(related.media)} />
      {remarks !== "" && <p class="remarks">{remarks}</p>}
      {history.length > 0 && <PropertyHistory listings={history} openKey={address.value.record} />}
      <OpenHouses records={recordsOf(related.openHouses)} />
      {(agent !== undefined || office !== undefined) && (
        <section class="record-part contacts">
          <Contact title="Agent" record={agent} />
          <Contact title="Office" record={office} />
        </section>
      )}
      <FieldList record={record} fields={fields} />
    </>
  );
}

/** Panel with the record that is open. */
export function RecordPanel() {
  const { value, error, isLoading } = openRecord.value;
  const panel = useRef<HTMLElement>(null);
  const { record } = address.value;
  useEffect(() => {
    panel.current?.scrollTo(0, 0);
  }, [record]);
  if (record === "") return null;
  return (
    <aside
      class="record"
      ref={panel}
      aria-label="Record"
      aria-busy={isLoading}
      onKeyDown={(event) => {
        if (event.key === "Escape") go({ record: "" });
      }}
    >
      <button
        type="button"
        class="record-close"
        aria-label="Close the record"
        onClick={() => go({ record: "" })}
      >
        ×
      </button>
      {value !== undefined && <RecordBody record={value} />}
      {error !== undefined && (
        <div class="empty">
          <h2>This record is not there</h2>
          <p>It does not exist, or this key does not see it.</p>
        </div>
      )}
    </aside>
  );
}
