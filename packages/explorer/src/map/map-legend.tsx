import { firstKey, secondKey } from "../session/api-keys.ts";
import { formatCount } from "../table/format.ts";
import { listingPoints, mostPoints } from "./listing-points.ts";

/**
 * Legend of the map. Colours tell the status of a listing, or which of two keys see it. Below them is the number of places, or of records if
 * they are counted in cells.
 */
export function MapLegend() {
  const { points, read, count, isLoading, asCells } = listingPoints.value;
  const [first, second] = [firstKey.value, secondKey.value];
  const rows =
    second === undefined
      ? [
          ["open", "Active"],
          ["pending", "Pending"],
          ["closed", "Closed"],
          ["other", "Other"],
        ]
      : [
          ["both", "both see here"],
          ["first", `only ${first?.name} sees here`],
          ["second", `only ${second.name} sees here`],
        ];
  const shown = Math.min(read, count ?? read);
  return (
    <div class="map-legend">
      <ul hidden={asCells}>
        {rows.map(([name, title]) => (
          <li key={name}>
            <i class={`dot mark-${name}`} />
            {title}
          </li>
        ))}
      </ul>
      <p aria-live="polite">
        {asCells
          ? `${formatCount(count ?? 0)} records, counted in cells. Small counts are left out: narrow the filter to fewer than ${formatCount(mostPoints)} to see each`
          : isLoading
            ? `Loading ${formatCount(shown)} of ${formatCount(count ?? 0)} …`
            : `${formatCount(points.length)} places`}
      </p>
    </div>
  );
}
