import { type ReadonlySignal, signal } from "@preact/signals";

export type Theme = "light" | "dark";

const prefersDark = matchMedia("(prefers-color-scheme: dark)");
const systemTheme = (): Theme => (prefersDark.matches ? "dark" : "light");
const current = signal<Theme>(systemTheme());

/** Colours of the page: those that the system prefers, until somebody chooses. */
export const theme: ReadonlySignal<Theme> = current;

prefersDark.addEventListener("change", () => {
  if (document.documentElement.dataset["theme"] === undefined) current.value = systemTheme();
});

export function switchTheme(): void {
  const next: Theme = current.value === "dark" ? "light" : "dark";
  document.documentElement.dataset["theme"] = next;
  current.value = next;
}
