import type { ObjectServer } from "@cadastre/delivery/testing";
import { describe } from "vitest";
import { usePushing } from "../../support/pushing.ts";
import { crashJourney } from "./crashes.ts";
import { destinationJourney } from "./destinations.ts";
import { failureJourney } from "./failures.ts";
import { publicationJourney } from "./publication.ts";
import { refusals } from "./refusals.ts";

/** What a customer meets that has deliveries pushed, from its first request on, whatever the server of its bucket. */
export function pushJourney(name: string, serverOf: () => ObjectServer, isThorough: boolean): void {
  describe(`deliveries that are pushed to ${name}`, () => {
    const pushing = usePushing(serverOf);
    destinationJourney(pushing);
    publicationJourney(pushing);
    failureJourney(pushing);
    crashJourney(pushing);
    if (isThorough) refusals(pushing);
  });
}
