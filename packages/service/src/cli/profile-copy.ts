import { defaultRetryPolicy } from "@cadastre/client/http";
import { Command } from "commander";
import { z } from "zod";
import { currentCatalog } from "../data/catalogs.ts";
import { authorizationOf } from "../replicate/authorization.ts";
import { feedOf } from "../replicate/feed.ts";
import { FeedError } from "../replicate/feed-error.ts";
import { fetchFeed } from "../replicate/fetch-feed.ts";
import { takesEffectText } from "../takes-effect.ts";
import { mlsProfilesPath } from "../v1/mls-profiles.ts";
import { withServiceRegistry } from "./data.ts";
import { type CredentialOptions, credentialsOf, withCredentialOptions } from "./feed-credentials.ts";
import { CommandRefused, printMessage } from "./outcome.ts";

const text = z.string().trim().min(1).max(4000);
const address = z.url({ protocol: /^https$/ });

/** The profiles that a service answers, as far as they are taken over. */
const answer = z.object({
  data: z.array(
    z.object({
      originating_system_name: text,
      originating_system_full_name: text,
      compliance: z.object({
        disclaimer: text,
        logo_url: address,
        rules_url: address,
        required_update_frequency_hours: z.int().min(1).max(8760),
      }),
    }),
  ),
});

/** `cadastre profile copy <address>` */
export const profileCopyCommand = (): Command =>
  withCredentialOptions(new Command("copy"))
    .description(
      "Approve the systems that are known here with the profiles that another Cadastre has of them. Its profiles replace those of here.",
    )
    .argument("<address>", "origin of the other service, such as https://source.example")
    .action(copyProfiles);

const copyProfiles = (origin: string, options: CredentialOptions) =>
  withServiceRegistry(async ({ profiles, catalogs }) => {
    const authorization = authorizationOf(credentialsOf(options));
    const feed = feedOf(
      origin,
      mlsProfilesPath.slice(1),
      { filter: undefined, select: undefined },
      authorization !== undefined,
    );
    const found = await fetchFeed(feed.url, {
      feed,
      authorization,
      pageSize: 1,
      retryPolicy: defaultRetryPolicy,
      onRetry: (reason, pause) => printMessage(`  ${reason}: again in ${(pause / 1000).toFixed(1)} s`),
    });
    const { systems } = (await currentCatalog(catalogs)).catalog;
    const copied: string[] = [];
    for (const profile of profilesIn(found, origin)) {
      const system = systems.find(({ name }) => name === profile.originating_system_name);
      if (system === undefined) continue;
      const { disclaimer, logo_url, rules_url, required_update_frequency_hours } = profile.compliance;
      await profiles.set({
        datasetId: system.datasetId,
        displayName: profile.originating_system_name,
        fullName: profile.originating_system_full_name,
        disclaimer,
        logoUrl: logo_url,
        rulesUrl: rules_url,
        updateHours: required_update_frequency_hours,
        approved: (await profiles.find(system.datasetId))?.approved ?? Date.now(),
      });
      copied.push(system.id);
    }
    if (copied.length === 0)
      throw new CommandRefused(
        `${origin} has no approved profile of a system that is known here: \`cadastre system list\` shows their names`,
      );
    printMessage(
      `Approved with the profiles of ${origin}: ${copied.join(", ")}. ${takesEffectText("knows")}`,
    );
  });

/** @throws {FeedError} if the text is not what a Cadastre answers */
function profilesIn(text: string, origin: string): z.output<typeof answer>["data"] {
  try {
    return answer.parse(JSON.parse(text)).data;
  } catch (cause) {
    if (!(cause instanceof SyntaxError || cause instanceof z.ZodError)) throw cause;
    throw new FeedError(`${origin}${mlsProfilesPath} is not what a Cadastre answers`, { cause });
  }
}
