import type { z } from "zod";
import { accessSettings } from "./access-settings.ts";
import { dataSettings } from "./data-settings.ts";
import { deliverySettings } from "./delivery-settings.ts";
import { httpSettings } from "./http-settings.ts";
import { querySettings } from "./query-settings.ts";
import type { Setting } from "./setting.ts";
import { tracingSettings } from "./tracing-settings.ts";

/** Every setting, by the name of its environment variable. Its member in the settings file is its `path`. */
export const settings = {
  ...httpSettings,
  ...dataSettings,
  ...accessSettings,
  ...querySettings,
  ...deliverySettings,
  ...tracingSettings,
} as const satisfies Record<string, Setting>;

type Settings = typeof settings;

/** The value of each setting, by its member. */
export type Values = {
  readonly [Name in keyof Settings as Settings[Name]["member"]]:
    | z.output<Settings[Name]["is"]>
    | (Settings[Name] extends { readonly absent: string } ? undefined : never);
};
