/** The public example key of RFC 8037, appendix A, which is not a secret. */
export const exampleSigningKey = {
  kid: "example",
  privateKey: {
    kty: "OKP",
    crv: "Ed25519",
    d: "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A",
    x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
  },
} as const;

const { kty, crv, x } = exampleSigningKey.privateKey;

export const exampleKeySet = {
  keys: [{ kid: exampleSigningKey.kid, kty, crv, x, alg: "EdDSA", use: "sig" }],
};
