/**
 * How a Web API tells of records that it has no more. `events`: by the events of its `EntityEvent` (RESO RCP-27). `delta`: by delta links
 * (OData Protocol 4.01, section 11.3).
 */
export const deletionSources = ["events", "delta"] as const;
export type DeletionSource = (typeof deletionSources)[number];

/**
 * Values of `--deletions`. `auto`: as the source is found to do. `keys`: by a comparison of all keys at each run. `none`: by such a comparison
 * only where another option asks for it.
 */
export const deletionChoices = ["none", "auto", "keys", ...deletionSources] as const;
export type DeletionChoice = (typeof deletionChoices)[number];
