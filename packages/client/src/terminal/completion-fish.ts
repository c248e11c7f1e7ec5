import { type CompletedCommand, type CompletedOption, functionName } from "./completion-words.ts";

/** Returns the completion script of a program for fish. */
export function fishCompletion(program: string, commands: readonly CompletedCommand[]): string {
  const name = functionName(program);
  const below = commands.filter(({ path }) => path !== "");
  const taking = commands.flatMap((command) =>
    command.options.filter(({ takesValue }) => takesValue).map(({ word }) => `'${command.path} ${word}'`),
  );
  return `# Completion of ${program} for fish. To load it: ${program} completion fish | source

# True if the words before the cursor call this command.
function __${name}_at
    set -l commands ${below.map((command) => `'${command.path}'`).join(" ")}
    set -l taking ${taking.join(" ")}
    set -l at ''
    set -l previous ''
    for word in (commandline -opc)[2..-1]
        if not contains -- "$at $previous" $taking; and contains -- "$at $word" $commands
            set at "$at $word"
        end
        set previous $word
    end
    test "$at" = "$argv[1]"
end

${commands.flatMap((command) => commandLines(program, name, command)).join("\n")}
`;
}

function commandLines(program: string, name: string, command: CompletedCommand): readonly string[] {
  const at = `complete -c ${program} -n "__${name}_at '${command.path}'"`;
  // Files are proposed for arguments that may be any text.
  const noFiles = command.hasArguments && command.values.length === 0 ? [] : [`${at} -f`];
  return [
    ...noFiles,
    ...command.subcommands.map(({ word, description }) => `${at} -a ${word} -d '${description}'`),
    ...(command.values.length === 0 ? [] : [`${at} -a '${command.values.join(" ")}'`]),
    ...command.options.map((option) => `${at} ${optionText(option)}`),
  ];
}

function optionText({ word, short, takesValue, values, description }: CompletedOption): string {
  const names = `-l ${word.slice(2)}${short === undefined ? "" : ` -s ${short.slice(1)}`}`;
  const value = !takesValue ? "" : values.length === 0 ? " -r -F" : ` -x -a '${values.join(" ")}'`;
  return `${names}${value} -d '${description}'`;
}
