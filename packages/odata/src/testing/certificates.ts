import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A private key and its certificate, in PEM. */
export type CertifiedKey = { readonly key: string; readonly certificate: string };

/** An authority that signs certificates for tests, by the program `openssl`. */
export type Authority = {
  /** Certificate of the authority, in PEM. */
  readonly certificate: string;
  /**
   * Creates a key with a certificate.
   *
   * @param name common name, such as the name of a user
   * @param names further names of a server, such as `DNS:localhost` or `IP:127.0.0.1`
   */
  readonly certify: (name: string, names?: readonly string[]) => CertifiedKey;
};

/** True if {@link createAuthority} has its program. */
export const hasOpenssl: boolean = spawnSync("openssl", ["version"]).status === 0;

const newKey = ["req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];

/** Creates an authority whose certificates are valid for a day. */
export function createAuthority(): Authority {
  const own = inFolder((folder, run) => {
    run([
      ...newKey,
      "-x509",
      "-subj",
      "/CN=authority",
      "-days",
      "1",
      "-keyout",
      "key",
      "-out",
      "certificate",
    ]);
    return readPair(folder);
  });
  return {
    certificate: own.certificate,
    certify: (name, names = [`DNS:${name}`]) =>
      inFolder((folder, run) => {
        writeFileSync(join(folder, "ca.key"), own.key);
        writeFileSync(join(folder, "ca"), own.certificate);
        writeFileSync(join(folder, "names"), `subjectAltName=${names.join()}\n`);
        run([...newKey, "-subj", `/CN=${name}`, "-keyout", "key", "-out", "request"]);
        const signing = [
          "x509",
          "-req",
          "-in",
          "request",
          "-CA",
          "ca",
          "-CAkey",
          "ca.key",
          "-CAcreateserial",
        ];
        run([...signing, "-days", "1", "-extfile", "names", "-out", "certificate"]);
        return readPair(folder);
      }),
  };
}

const readPair = (folder: string): CertifiedKey => ({
  key: readFileSync(join(folder, "key"), "utf8"),
  certificate: readFileSync(join(folder, "certificate"), "utf8"),
});

/** Calls `work` with a folder that is then removed, and a function that runs `openssl` in it. */
function inFolder<T>(work: (folder: string, run: (input: readonly string[]) => void) => T): T {
  const folder = mkdtempSync(join(tmpdir(), "certificates-"));
  try {
    return work(folder, (input) => {
      const { status, stderr } = spawnSync("openssl", input, { cwd: folder });
      if (status !== 0) throw new Error(`openssl: ${String(stderr)}`);
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
