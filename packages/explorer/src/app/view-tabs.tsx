import { address, go } from "../address/current-address.ts";
import type { View } from "../address/page-address.ts";

/** Titles of the views, in the order of the tabs. */
const titles = {
  explore: "Explore",
  table: "Table",
  map: "Map",
  coverage: "Coverage",
  market: "Market",
  delivery: "Delivery",
} as const satisfies Readonly<Record<View, string>>;

/** Views to choose from. */
export function ViewTabs() {
  const { view } = address.value;
  return (
    <nav class="tabs" aria-label="Views">
      {Object.entries(titles).map(([name, title]) => (
        <button
          key={name}
          type="button"
          aria-current={view === name ? "page" : undefined}
          onClick={() => go({ view: name as View })}
        >
          {title}
        </button>
      ))}
    </nav>
  );
}
