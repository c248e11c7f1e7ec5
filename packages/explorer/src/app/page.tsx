import type { ComponentType } from "preact";
import { address } from "../address/current-address.ts";
import type { View } from "../address/page-address.ts";
import { FacetPanel } from "../facets/facet-panel.tsx";
import { MapView } from "../map/map-view.tsx";
import { firstModel } from "../query/current-query.ts";
import { SearchBar } from "../search/search-bar.tsx";
import { firstKey } from "../session/api-keys.ts";
import { RecordTable } from "../table/record-table.tsx";
import { Header } from "./header.tsx";
import { lazyView } from "./lazy-view.tsx";
import "./page.css";
import { QueryStatus } from "./query-status.tsx";
import { ViewTabs } from "./view-tabs.tsx";
import { Welcome } from "./welcome.tsx";

function Explore() {
  return (
    <div class="split">
      <RecordTable />
      <MapView />
    </div>
  );
}

const bodies: Readonly<Record<View, ComponentType>> = {
  explore: Explore,
  table: RecordTable,
  map: MapView,
  coverage: lazyView(() => import("../coverage/coverage-view.tsx").then(({ CoverageView }) => CoverageView)),
  market: lazyView(() => import("../market/market-view.tsx").then(({ MarketView }) => MarketView)),
  delivery: lazyView(() => import("../delivery/delivery-view.tsx").then(({ DeliveryView }) => DeliveryView)),
};

const RecordPanel = lazyView(() => import("../record/record-panel.tsx").then((module) => module.RecordPanel));

/** Views of records, beside which the query can be narrowed. */
const recordViews: ReadonlySet<View> = new Set(["explore", "table", "map"]);

function Workspace() {
  const { error } = firstModel.value;
  const { view } = address.value;
  const Body = bodies[view];
  return (
    <main class="workspace">
      <h1 class="unseen">{address.value.entitySet}</h1>
      <SearchBar />
      <div class="toolbar">
        <ViewTabs />
        {recordViews.has(view) && <QueryStatus />}
      </div>
      {error === undefined ? (
        <div class="content">
          {recordViews.has(view) && <FacetPanel />}
          <div class="view">
            <Body />
          </div>
          {recordViews.has(view) && address.value.record !== "" && <RecordPanel />}
        </div>
      ) : (
        <div class="empty" role="alert">
          <h2>The service did not answer</h2>
          <p>{error.message}</p>
        </div>
      )}
    </main>
  );
}

/** The whole page. */
export function ExplorerPage() {
  return (
    <div class="page">
      <Header />
      {firstKey.value === undefined ? <Welcome /> : <Workspace />}
    </div>
  );
}
