import { effect, signal } from "@preact/signals";
import { isRecord, type JsonObject } from "../api/json.ts";
import { requestJson } from "../api/request.ts";
import { loaded } from "../query/loaded.ts";
import { firstKey } from "../session/api-keys.ts";

/** A delivery, as the list shows it. */
export type ShownDelivery = {
  readonly id: string;
  readonly domain: string;
  readonly status: string;
  readonly mode: string;
  readonly createdAt: string;
  readonly parts: number | undefined;
  readonly failure: string | undefined;
};

/** A recurring delivery. */
export type ListedSubscription = {
  readonly id: string;
  readonly name: string;
  readonly domain: string;
  readonly status: string;
  readonly cadence: number;
};

/** Milliseconds between two looks at a delivery that is in progress. */
const pollInterval = 1000;

const ended: ReadonlySet<string> = new Set(["complete", "failed", "canceled", "expired", "purged"]);
export const isEnded = ({ status }: ShownDelivery): boolean => ended.has(status);

function deliveryOf(data: JsonObject): ShownDelivery {
  const progress = isRecord(data["progress"]) ? data["progress"] : {};
  const failure = isRecord(data["failure"]) ? data["failure"]["message"] : data["failure"];
  return {
    id: String(data["id"]),
    domain: String(data["domain"]),
    status: String(data["status"]),
    mode: String(data["deliveryMode"]),
    createdAt: String(data["createdAt"]),
    parts: typeof progress["parts"] === "number" ? progress["parts"] : undefined,
    failure: typeof failure === "string" ? failure : undefined,
  };
}

export const envelopeData = (body: unknown): unknown => (isRecord(body) ? body["data"] : undefined);

const listOf = (body: unknown): readonly JsonObject[] => {
  const data = envelopeData(body);
  return Array.isArray(data) ? data.filter(isRecord) : [];
};

/** Counts up when the lists are to be asked for again. */
const round = signal(0);

/** Deliveries of the key that can be fetched, the last one first. */
export const completeDeliveries = loaded((abort) => {
  const apiKey = firstKey.value?.apiKey;
  void round.value;
  if (apiKey === undefined) return undefined;
  return requestJson({ path: "v1/file-exports?limit=20", apiKey, signal: abort }).then((body) =>
    listOf(body).map(deliveryOf),
  );
});

export const subscriptions = loaded((abort) => {
  const apiKey = firstKey.value?.apiKey;
  if (apiKey === undefined) return undefined;
  return requestJson({ path: "v1/file-export-subscriptions?limit=20", apiKey, signal: abort }).then((body) =>
    listOf(body).map(
      (one): ListedSubscription => ({
        id: String(one["id"]),
        name: String(one["name"]),
        domain: String(one["domain"]),
        status: String(one["status"]),
        cadence: Number(one["cadenceSeconds"]),
      }),
    ),
  );
});

/** Products that the key may export. */
export const exportDomains = loaded((abort) => {
  const apiKey = firstKey.value?.apiKey;
  if (apiKey === undefined) return undefined;
  return requestJson({ path: "v1/account/resources", apiKey, signal: abort }).then(
    (body): readonly string[] => {
      const data = envelopeData(body);
      const products = isRecord(data) ? data["products"] : [];
      return Array.isArray(products) ? products.map(String) : [];
    },
  );
});

/** Deliveries that were asked for on this page, and have not ended yet. */
export const openDeliveries = signal<readonly ShownDelivery[]>([]);

async function look(apiKey: string): Promise<void> {
  const before = openDeliveries.peek();
  const now = await Promise.all(
    before.map(async (delivery) => {
      const data = envelopeData(await requestJson({ path: `v1/file-exports/${delivery.id}`, apiKey }));
      return isRecord(data) ? deliveryOf(data) : delivery;
    }),
  );
  const known = new Set(before.map(({ id }) => id));
  const added = openDeliveries.peek().filter(({ id }) => !known.has(id));
  openDeliveries.value = [...now.filter(({ status }) => status !== "complete"), ...added];
  if (now.some(({ status }) => status === "complete")) round.value += 1;
}

effect(() => {
  const apiKey = firstKey.value?.apiKey;
  if (apiKey === undefined || openDeliveries.value.every(isEnded)) return undefined;
  const timer = setTimeout(() => void look(apiKey).catch(() => undefined), pollInterval);
  return () => clearTimeout(timer);
});

/** Choice of records and fields of an export. Empty texts ask for all. */
export type AskedExport = {
  readonly domain: string;
  /** Condition in the language of `$filter`. */
  readonly filter: string;
  /** Names of fields, separated by commas. */
  readonly fields: string;
  /** Time or checkpoint of an earlier state. */
  readonly asOf: string;
};

/** Asks for records of a domain as files. */
export async function askForExport({ domain, filter, fields, asOf }: AskedExport): Promise<void> {
  const apiKey = firstKey.value?.apiKey;
  if (apiKey === undefined) return;
  const select = fields
    .split(",")
    .map((field) => field.trim())
    .filter((field) => field !== "");
  const body = {
    domain,
    deliveryMode: "pull",
    idempotencyKey: crypto.randomUUID(),
    ...(filter.trim() === "" ? {} : { filter: filter.trim() }),
    ...(select.length === 0 ? {} : { select }),
    ...(asOf.trim() === "" ? {} : { asOf: asOf.trim() }),
  };
  const data = envelopeData(await requestJson({ path: "v1/file-exports", apiKey, method: "POST", body }));
  if (isRecord(data)) openDeliveries.value = [deliveryOf(data), ...openDeliveries.value];
}
