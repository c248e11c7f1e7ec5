import { address, go } from "../address/current-address.ts";
import { withTerm } from "../query/filter-terms.ts";
import { quoteText } from "../query/literals.ts";
import { formatCount } from "../table/format.ts";
import { closedSales, mostSales, type PlaceField, placeField, placeFieldNames } from "./closed-sales.ts";
import "./market.css";
import { MedianChart } from "./median-chart.tsx";
import { fewestSales, mediansByPlace } from "./medians.ts";

/** Places that are shown: those with most sales. */
const mostPlaces = 24;

const titles: Readonly<Record<PlaceField, string>> = {
  City: "City",
  PostalCode: "ZIP code",
  CountyOrParish: "County",
  StateOrProvince: "State",
};

/** Median prices of sales over time, by place. */
export function MarketView() {
  const { value: sales, error, isLoading } = closedSales.value;
  const places = mediansByPlace(sales ?? [], mostPlaces);
  const quarters = [
    ...new Set(places.flatMap(({ medians }) => medians.map(({ quarter }) => quarter))),
  ].toSorted();
  return (
    <section class="panel" aria-label="Market" aria-busy={isLoading}>
      <header class="panel-head">
        <div>
          <h2>Median prices of sales</h2>
          <p class="quiet">
            {isLoading
              ? "Reading the latest sales …"
              : `By quarter, from the latest ${formatCount(sales?.length ?? 0)} sales of the filter that this key sees${(sales?.length ?? 0) >= mostSales ? " (no more are read)" : ""}. Quarters of fewer than ${fewestSales} sales are left out.`}
          </p>
        </div>
        <form class="panel-form" onSubmit={(event) => event.preventDefault()}>
          <label>
            By
            <select
              value={placeField.value}
              onChange={(event) => {
                placeField.value = event.currentTarget.value as PlaceField;
              }}
            >
              {placeFieldNames.map((name) => (
                <option key={name} value={name}>
                  {titles[name]}
                </option>
              ))}
            </select>
          </label>
        </form>
      </header>
      {error !== undefined && (
        <div class="empty" role="alert">
          <h2>No sales to show</h2>
          <p>{error.message}</p>
        </div>
      )}
      {error === undefined && !isLoading && places.length === 0 && (
        <div class="empty">
          <h2>Too few sales</h2>
          <p>No place has {fewestSales} sales in a quarter. Remove conditions of the filter.</p>
        </div>
      )}
      <div class="market-cards">
        {places.map((place) => (
          <MedianChart
            key={place.place}
            place={place}
            quarters={quarters}
            onChoose={() =>
              go({
                entitySet: "Property",
                view: "explore",
                filter: withTerm(address.value.filter, `${placeField.value} eq ${quoteText(place.place)}`),
              })
            }
          />
        ))}
      </div>
    </section>
  );
}
