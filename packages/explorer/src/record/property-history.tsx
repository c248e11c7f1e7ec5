import { go } from "../address/current-address.ts";
import { type JsonObject, memberText } from "../api/json.ts";
import { formatCount, statusClass } from "../table/format.ts";

const dateOf = (listing: JsonObject): string =>
  (memberText(listing, "ListingContractDate") || memberText(listing, "ModificationTimestamp")).slice(0, 10);

const priceOf = (listing: JsonObject): string => {
  const price = listing["ClosePrice"] ?? listing["ListPrice"];
  return typeof price === "number" ? `$${formatCount(price)}` : "";
};

/** All listings of one physical property that the key sees, the latest first. */
export function PropertyHistory({
  listings,
  openKey,
}: {
  readonly listings: readonly JsonObject[];
  readonly openKey: string;
}) {
  const inOrder = listings.toSorted((a, b) => dateOf(b).localeCompare(dateOf(a)));
  const systems = new Set(listings.map((listing) => listing["OriginatingSystemName"]));
  return (
    <section class="record-part">
      <h3>This property</h3>
      <p class="quiet">
        {listings.length === 1 ? "One listing" : `${listings.length} listings`} in{" "}
        {systems.size === 1 ? "one system" : `${systems.size} systems`}
      </p>
      <ol class="history">
        {inOrder.map((listing) => {
          const key = memberText(listing, "ListingKey");
          const status = memberText(listing, "StandardStatus");
          return (
            <li key={key} class={key === openKey ? "history-open" : ""}>
              <span class={`status status-${statusClass(status)}`} />
              <button type="button" disabled={key === openKey} onClick={() => go({ record: key })}>
                <span>
                  <strong>{priceOf(listing) || key}</strong> {status}
                </span>
                <small>
                  {[dateOf(listing), listing["OriginatingSystemName"], listing["PropertyType"]]
                    .filter(Boolean)
                    .join(" · ")}
                </small>
              </button>
            </li>
          );
        })}
      </ol>
    </section>
  );
}
