import { useSignal } from "@preact/signals";
import type { JsonObject } from "../api/json.ts";

const textOf = (record: JsonObject, name: string): string => {
  const value = record[name];
  return typeof value === "string" ? value : "";
};

const hostOf = (address: string): string => {
  try {
    return new URL(address).host;
  } catch {
    return "";
  }
};

function Photo({ media, number }: { readonly media: JsonObject; readonly number: number }) {
  const failed = useSignal(false);
  const label = textOf(media, "ShortDescription") || `Photo ${number}`;
  return failed.value ? (
    <span class="photo photo-missing">{label} is not there</span>
  ) : (
    <img
      class="photo"
      src={textOf(media, "MediaURL")}
      alt={label}
      loading="lazy"
      referrerpolicy="no-referrer"
      onError={() => {
        failed.value = true;
      }}
    />
  );
}

/** Photos of a listing. They lie on other servers, so they are loaded only when somebody asks for them. */
export function Photos({ media }: { readonly media: readonly JsonObject[] }) {
  const shown = useSignal(false);
  const photos = media.filter((one) => textOf(one, "MediaURL").startsWith("https:"));
  if (photos.length === 0) return null;
  const hosts = [...new Set(photos.map((one) => hostOf(textOf(one, "MediaURL"))))];
  return shown.value ? (
    <div class="photos">
      {photos.map((one, index) => (
        <Photo key={String(one["MediaKey"])} media={one} number={index + 1} />
      ))}
    </div>
  ) : (
    <button
      type="button"
      class="photos-offer"
      onClick={() => {
        shown.value = true;
      }}
    >
      <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
        <path d="M4 6h16v12H4zM4 15l5-4 4 3 3-2 4 3" />
      </svg>
      <span>
        Show {photos.length === 1 ? "the photo" : `${photos.length} photos`}
        <small>They are loaded from {hosts.join(", ")}</small>
      </span>
    </button>
  );
}
