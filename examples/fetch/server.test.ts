import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { testExampleListings } from "@cadastre/odata/testing";
import { afterAll, expect, test, vi } from "vitest";

vi.stubEnv("PORT", "0");
const { server } = await import("./server.ts");
vi.unstubAllEnvs();
if (!server.listening) await once(server, "listening");
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
afterAll(() => void server.close());

testExampleListings(new URL("README.md", import.meta.url), () => origin, { expect, test });
