import type { Request } from "express";

/** The service's address for links: as configured, else as the client addressed it. */
export function baseUrlOf(req: Request, configured: string | undefined): string {
  if (configured !== undefined) return configured;
  const host = req.get("host") ?? "";
  if (host !== "") return `http://${host}`;
  const { localAddress = "127.0.0.1", localPort = 80 } = req.socket;
  return `http://${localAddress.includes(":") ? `[${localAddress}]` : localAddress}:${localPort}`;
}
