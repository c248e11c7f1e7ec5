import type { ExampleTable } from "../terminal/conventions.ts";

/** Example command lines of each command, for the help. */
export const clientExamples: ExampleTable = {
  "": [
    "export CADASTRE_API_KEY=…",
    "cadastre-client pull --url https://listings.example --domain listing --into sqlite:listings.sqlite",
    "cadastre-client subscribe --url https://listings.example --name nightly --domain listing --cadence 1d",
    "cadastre-client status --url https://listings.example --into sqlite:listings.sqlite",
  ],
  pull: [
    "cadastre-client pull --url https://listings.example --domain listing --into data --filter \"City eq 'Austin'\" --select City,ListPrice",
    "cadastre-client pull --url https://listings.example --domain listing --into sqlite:listings.sqlite",
    "cadastre-client pull 0198f3a2-6c1e-7b57-9a53-0c1d2e3f4a5b --url https://listings.example --into data",
    "cadastre-client pull --url https://listings.example --domain property --into postgres: --schema cadastre",
    "cadastre-client pull --url https://listings.example --domain listing --into data --keys jwks.json --pin schema=listing@1",
  ],
  follow: [
    "cadastre-client follow --subscription nightly --url https://listings.example --into postgres:",
    "cadastre-client follow --subscription 0198f3a0-1111-7222-8333-444455556666 --url https://listings.example --into sqlite:copy.sqlite --once",
    "cadastre-client follow --subscription 0198f3a0-1111-7222-8333-444455556666 --from-bucket s3://exports/deliveries --keys jwks.json --into data",
  ],
  verify: [
    "cadastre-client verify data/0198f3a2-6c1e-7b57-9a53-0c1d2e3f4a5b --keys jwks.json",
    "cadastre-client verify data/0198f3a2-6c1e-7b57-9a53-0c1d2e3f4a5b --unsigned --json",
  ],
  sql: [
    "cadastre-client sql data/0198f3a2-6c1e-7b57-9a53-0c1d2e3f4a5b --for duckdb",
    "cadastre-client sql data/0198f3a2-6c1e-7b57-9a53-0c1d2e3f4a5b --for snowflake --from s3://exports/deliveries/exports/0198f3a2-6c1e-7b57-9a53-0c1d2e3f4a5b",
  ],
  replicate: [
    "cadastre-client replicate Property --url https://listings.example --into sqlite:copy.sqlite",
    "cadastre-client replicate Property --url https://listings.example --into postgres: --schema copy --follow --poll 60",
    "cadastre-client replicate Property --url https://listings.example --into data --filter \"City eq 'Austin'\" --select ListingKey,ListPrice,ModificationTimestamp",
  ],
  subscribe: [
    "cadastre-client subscribe --url https://listings.example --name texas --domain listing --cadence 1h --filter \"StateOrProvince eq 'TX'\" --select City,ListPrice",
    "cadastre-client subscribe --url https://listings.example --name nightly --domain listing --cadence 1d --minute 04:00",
    "cadastre-client subscribe --url https://listings.example --name hourly --domain property --cadence 1h --when-empty skip",
    "cadastre-client subscribe --url https://listings.example --name bucket --domain listing --cadence 6h --mode push --destination 0198f3a5-2222-7333-8444-555566667777",
  ],
  subscriptions: ["cadastre-client subscriptions list --url https://listings.example"],
  "subscriptions list": [
    "cadastre-client subscriptions list --url https://listings.example",
    "cadastre-client subscriptions list --url https://listings.example --all --json",
  ],
  "subscriptions show": ["cadastre-client subscriptions show nightly --url https://listings.example"],
  "subscriptions deliveries": [
    "cadastre-client subscriptions deliveries nightly --url https://listings.example --limit 5",
  ],
  "subscriptions pause": ["cadastre-client subscriptions pause nightly --url https://listings.example"],
  "subscriptions resume": ["cadastre-client subscriptions resume nightly --url https://listings.example"],
  "subscriptions reset": ["cadastre-client subscriptions reset nightly --url https://listings.example"],
  "subscriptions cancel": [
    "cadastre-client subscriptions cancel nightly --url https://listings.example",
    "cadastre-client subscriptions cancel nightly --url https://listings.example --yes",
  ],
  listen: [
    "cadastre-client listen --register --url http://127.0.0.1:8080 --test",
    "cadastre-client listen --register --url https://listings.example --public-url https://tunnel.example/hook --forward-to http://localhost:3000/hook",
    "cadastre-client listen --register --url http://127.0.0.1:8080 --events entity.changed",
    "cadastre-client listen --secret-file webhook-secret --forward-to http://localhost:3000/hook",
  ],
  status: [
    "cadastre-client status --url https://listings.example --into sqlite:copy.sqlite",
    "cadastre-client status --url https://listings.example --into postgres: --schema cadastre --json",
    "cadastre-client status --into sqlite:copy.sqlite",
  ],
  completion: [
    "source <(cadastre-client completion bash)",
    "cadastre-client completion zsh > ~/.zfunc/_cadastre-client",
    "cadastre-client completion fish > ~/.config/fish/completions/cadastre-client.fish",
  ],
};
