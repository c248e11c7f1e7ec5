import { describe } from "vitest";
import { buildLaws } from "./build-laws.ts";
import { builds } from "./builds.ts";
import { changes } from "./changes.ts";
import { commits } from "./commits.ts";
import { computed } from "./computed.ts";
import { counts } from "./counts.ts";
import { coverage } from "./coverage.ts";
import { digests } from "./digests.ts";
import { following } from "./following.ts";
import { forms } from "./forms.ts";
import type { Harness } from "./harness.ts";
import { market } from "./market.ts";
import { masks } from "./masks.ts";
import { pages } from "./pages.ts";
import { past } from "./past.ts";
import { places } from "./places.ts";
import { properties } from "./properties.ts";
import { retirement } from "./retirement.ts";
import { running } from "./running.ts";
import { texts } from "./texts.ts";
import { values } from "./values.ts";
import { walks } from "./walks.ts";

/** What every store does, whatever its database. */
export const conformance = (name: string, harness: Harness): void => {
  describe(name, () => {
    for (const cases of [
      pages,
      forms,
      computed,
      values,
      commits,
      counts,
      builds,
      buildLaws,
      coverage,
      digests,
      following,
      walks,
      past,
      changes,
      places,
      properties,
      texts,
      market,
      masks,
      retirement,
      running,
    ])
      cases(harness);
  });
};
