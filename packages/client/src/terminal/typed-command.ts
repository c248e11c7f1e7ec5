/** Commands by which both programs are started, by the way in which this process was started. */
const commands = {
  workspace: { cadastre: "npm run --silent cadastre --", "cadastre-client": "npm run --silent client --" },
  npx: { cadastre: "npx @cadastre/service", "cadastre-client": "npx @cadastre/client" },
  path: { cadastre: "cadastre", "cadastre-client": "cadastre-client" },
} as const;

type ProgramName = keyof (typeof commands)["path"];

/** Returns the beginning of a command line of a program, such as `npm run --silent cadastre --` in a clone, where no program is on the path. */
export const typedCommand = (program: ProgramName): string => commands[wayOfStart()][program];

/** Replaces the name of a program at the beginning of each command between backticks by what can be typed. */
export const asTyped = (text: string): string =>
  text.replaceAll(
    /`((?:[A-Z_]+=\S+ )*)(cadastre(?:-client)?) /g,
    (_, variables: string, program: ProgramName) => `\`${variables}${typedCommand(program)} `,
  );

/** Source: npm, "scripts", section "Environment". */
function wayOfStart(): keyof typeof commands {
  const { npm_lifecycle_event: event, npm_package_name: of } = process.env;
  if (event === "npx") return "npx";
  return of === "cadastre" && ["cadastre", "client", "start"].includes(event ?? "") ? "workspace" : "path";
}
