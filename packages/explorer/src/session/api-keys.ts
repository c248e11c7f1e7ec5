import { computed, type ReadonlySignal, signal } from "@preact/signals";

/** A key of the public API, with the name that the page shows in its place. */
export type NamedKey = {
  readonly name: string;
  readonly apiKey: string;
  /** One line about what the key sees. Empty if nothing is known. */
  readonly summary: string;
};

const storageName = "cadastre.keys";

function stored(): readonly NamedKey[] {
  try {
    const found: unknown = JSON.parse(sessionStorage.getItem(storageName) ?? "[]");
    return Array.isArray(found) ? found.filter(isNamedKey) : [];
  } catch {
    return [];
  }
}

const isNamedKey = (value: unknown): value is NamedKey =>
  typeof value === "object" &&
  value !== null &&
  ["name", "apiKey", "summary"].every((member) => typeof Reflect.get(value, member) === "string");

const known = signal<readonly NamedKey[]>(stored());
const keepsForTab = signal(known.value.length > 0);
const firstName = signal(known.value[0]?.name ?? "");
const secondName = signal("");

/** Keys of this session, in memory; in `sessionStorage` too while {@link isKept}. */
export const namedKeys: ReadonlySignal<readonly NamedKey[]> = known;
export const isKept: ReadonlySignal<boolean> = keepsForTab;

const keyNamed = (name: string) => known.value.find((key) => key.name === name);

/** The key that everything is asked with. */
export const firstKey = computed(() => keyNamed(firstName.value));
/** The key that the same query is asked with, to compare. */
export const secondKey = computed(() => keyNamed(secondName.value));

function store(): void {
  if (keepsForTab.value) sessionStorage.setItem(storageName, JSON.stringify(known.value));
  else sessionStorage.removeItem(storageName);
}

/** Adds keys; those of the same name are replaced. The first one is used if there was none. */
export function addKeys(keys: readonly NamedKey[]): void {
  const names = new Set(keys.map(({ name }) => name));
  known.value = [...known.value.filter(({ name }) => !names.has(name)), ...keys];
  if (keyNamed(firstName.value) === undefined) firstName.value = keys[0]?.name ?? "";
  store();
}

/** Makes a key the first one. If it was the second one, they change places. */
export function useKey(name: string): void {
  if (secondName.value === name) secondName.value = firstName.value;
  firstName.value = name;
}

/** @param name empty to end the comparison */
export function compareWith(name: string): void {
  secondName.value = name;
}

export function keepForTab(keeps: boolean): void {
  keepsForTab.value = keeps;
  store();
}

/** Removes all keys from memory and from the tab. */
export function forgetKeys(): void {
  known.value = [];
  firstName.value = "";
  secondName.value = "";
  keepsForTab.value = false;
  store();
}
