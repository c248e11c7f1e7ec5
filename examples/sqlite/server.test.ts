import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterAll, vi } from "vitest";
import { answersListings } from "../../packages/odata/test/support/example-listings.ts";

vi.stubEnv("PORT", "0");
const { server } = await import("./server.ts");
vi.unstubAllEnvs();
if (!server.listening) await once(server, "listening");
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
afterAll(() => void server.close());

answersListings(new URL("README.md", import.meta.url), () => origin);
