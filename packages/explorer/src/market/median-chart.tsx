import { formatShort } from "../table/format.ts";
import type { PlaceMedians } from "./medians.ts";

const width = 320;
const height = 120;
const margin = { left: 6, right: 6, top: 14, bottom: 20 } as const;

type ChartProperties = {
  readonly place: PlaceMedians;
  /** All quarters of the page, so that charts can be compared. */
  readonly quarters: readonly string[];
  readonly onChoose: () => void;
};

/** Line of the median price of one place. */
export function MedianChart({ place, quarters, onChoose }: ChartProperties) {
  const values = place.medians.map(({ median }) => median);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const spread = most - least || most || 1;
  const xOf = (quarter: string) =>
    margin.left +
    ((width - margin.left - margin.right) * quarters.indexOf(quarter)) / Math.max(quarters.length - 1, 1);
  const yOf = (median: number) =>
    height - margin.bottom - ((height - margin.top - margin.bottom) * (median - least)) / spread;
  const points = place.medians.map(({ quarter, median }) => `${xOf(quarter)},${yOf(median)}`);
  const [first, last] = [place.medians[0], place.medians.at(-1)];
  if (first === undefined || last === undefined) return null;
  const change = Math.round((last.median / first.median - 1) * 100);
  return (
    <article class="market-card">
      <header>
        <h3>
          <button type="button" title={`Only ${place.place}`} onClick={onChoose}>
            {place.place}
          </button>
        </h3>
        <strong>${formatShort(last.median)}</strong>
      </header>
      <p class="quiet">
        {place.count} sales · {change >= 0 ? "+" : "−"}
        {Math.abs(change)} % since {first.quarter}
      </p>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={`Median price in ${place.place} by quarter`}
      >
        <line class="market-axis" x1="0" x2={width} y1={height - margin.bottom} y2={height - margin.bottom} />
        <polyline class="market-line" points={points.join(" ")} />
        {place.medians.map(({ quarter, median, count }) => (
          <circle key={quarter} class="market-point" cx={xOf(quarter)} cy={yOf(median)} r="3.5">
            <title>{`${quarter}: $${formatShort(median)}, ${count} sales`}</title>
          </circle>
        ))}
        <text class="market-label" x={margin.left} y={height - 5}>
          {quarters[0]}
        </text>
        <text class="market-label market-label-end" x={width - margin.right} y={height - 5}>
          {quarters.at(-1)}
        </text>
      </svg>
    </article>
  );
}
