import type { StructuralProperty } from "@cadastre/odata";
import { computed, signal } from "@preact/signals";
import { go } from "../address/current-address.ts";
import { byGroup } from "../model/field-groups.ts";
import { titleOf } from "../model/service-model.ts";
import { firstModel } from "../query/current-query.ts";
import { quoteText } from "../query/literals.ts";
import { formatCount } from "../table/format.ts";
import "./coverage.css";
import { type CoverageCell, shownCompleteness, shownGeography } from "./field-completeness.ts";

const search = signal("");
const geographyText = signal(shownGeography.value);

const properties = computed(
  () => firstModel.value.value?.entitySets.find(({ name }) => name === "Property")?.type.properties,
);

/** Shows the listings that have a value of the field, or those that have none. */
function showListings(cell: CoverageCell, property: StructuralProperty | undefined): void {
  const has = property?.collection === true ? `${cell.field}/any()` : `${cell.field} ne null`;
  go({
    entitySet: "Property",
    view: "explore",
    filter: `OriginatingSystemName eq ${quoteText(cell.system)} and ${has}`,
    select: [],
    orderBy: "",
  });
}

const percent = (ratio: number): string =>
  ratio > 0 && ratio < 0.01 ? "<1 %" : `${Math.floor(ratio * 100)} %`;

type CellProperties = {
  readonly cell: CoverageCell | undefined;
  readonly title: string;
  readonly minimum: number;
};

function HeatCell({ cell, title, minimum }: CellProperties) {
  if (cell === undefined) return <td class="heat-none" />;
  if (cell.ratio === null)
    return (
      <td class="heat-suppressed" title={`Not counted: fewer than ${minimum} listings`}>
        too few
      </td>
    );
  const step = Math.ceil(cell.ratio * 10);
  return (
    <td>
      <button
        type="button"
        class={`heat heat-${step}`}
        title={`${title}, ${cell.system}: ${formatCount(cell.populated)} of ${formatCount(cell.total)} listings. Show them`}
        onClick={() => showListings(cell, properties.value?.get(cell.field))}
      >
        {percent(cell.ratio)}
      </button>
    </td>
  );
}

function HeatTable() {
  const completeness = shownCompleteness.value.value;
  if (completeness === undefined) return null;
  const { systems, byField, minimum } = completeness;
  const wanted = search.value.trim().toLowerCase();
  const rows = [...byField.keys()].map((name) => {
    const property = properties.value?.get(name);
    return { name, title: property === undefined ? name : titleOf(property) };
  });
  const shown = rows.filter(({ name, title }) => `${name} ${title}`.toLowerCase().includes(wanted));
  return (
    <table class="heat-table">
      <thead>
        <tr>
          <th scope="col">Field</th>
          {systems.map((system) => (
            <th key={system} scope="col">
              {system}
            </th>
          ))}
        </tr>
      </thead>
      {byGroup(shown).map(([group, members]) => (
        <tbody key={group}>
          <tr class="heat-group">
            <th scope="rowgroup" colSpan={systems.length + 1}>
              {group} <small>{members.length}</small>
            </th>
          </tr>
          {members.map(({ name, title }) => (
            <tr key={name}>
              <th scope="row" title={name}>
                {title}
              </th>
              {systems.map((system) => (
                <HeatCell
                  key={system}
                  cell={byField.get(name)?.get(system)}
                  title={title}
                  minimum={minimum}
                />
              ))}
            </tr>
          ))}
        </tbody>
      ))}
    </table>
  );
}

/** Heat map: which share of the listings has a value, by field and system. */
export function CoverageView() {
  const { value, error, isLoading } = shownCompleteness.value;
  return (
    <section class="panel" aria-label="Coverage" aria-busy={isLoading}>
      <header class="panel-head">
        <div>
          <h2>How complete each field is</h2>
          <p class="quiet">
            The share of listings with a value, of what this key sees
            {value !== undefined && `, by Data Dictionary ${value.ddVersion}`}. Click a cell to see its
            listings.
          </p>
        </div>
        <form
          class="panel-form"
          onSubmit={(event) => {
            event.preventDefault();
            shownGeography.value = geographyText.value.trim();
          }}
        >
          <label>
            Place
            <input
              list="geographies"
              value={geographyText.value}
              onInput={(event) => {
                geographyText.value = event.currentTarget.value;
              }}
              onChange={(event) => {
                shownGeography.value = event.currentTarget.value.trim();
              }}
            />
          </label>
          <datalist id="geographies">
            {[
              "national:US",
              "state:TX",
              "state:WA",
              "state:OR",
              "state:FL",
              "county:TX/Travis",
              "zip:78701",
            ].map((one) => (
              <option key={one} value={one} />
            ))}
          </datalist>
          <label>
            Field
            <input
              type="search"
              placeholder="Find a field"
              value={search.value}
              onInput={(event) => {
                search.value = event.currentTarget.value;
              }}
            />
          </label>
        </form>
      </header>
      {error === undefined ? (
        <HeatTable />
      ) : (
        <div class="empty" role="alert">
          <h2>No coverage</h2>
          <p>{error.message}</p>
        </div>
      )}
    </section>
  );
}
