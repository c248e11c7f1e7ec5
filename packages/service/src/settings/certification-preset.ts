import { extensionNames } from "../extensions.ts";
import type { SettingName } from "./member-paths.ts";

/** Extensions that the certification tool of RESO judges, where a service has them. Source: reso-certification 0.10.6. */
const judged: ReadonlySet<string> = new Set(["expand", "field", "event"]);

/** Texts of the settings that `CADASTRE_CERTIFICATION=true` gives another default. */
export const certificationPreset: Readonly<Partial<Record<SettingName, string>>> = {
  CADASTRE_ODATA_VERSION: "4.01",
  CADASTRE_TOP_IS_TOTAL: "true",
  CADASTRE_PAGE_SIZE: "1000",
  CADASTRE_EXTENSIONS: extensionNames.filter((name) => judged.has(name)).join(),
};
