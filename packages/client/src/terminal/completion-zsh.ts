import { type CompletedCommand, type CompletedWord, functionName } from "./completion-words.ts";

/** Returns the completion script of a program for zsh. */
export function zshCompletion(program: string, commands: readonly CompletedCommand[]): string {
  const name = functionName(program);
  const below = commands.filter(({ path }) => path !== "");
  return `#compdef ${program}
# Completion of ${program} for zsh. To load it: source <(${program} completion zsh), after compinit.

_${name}() {
  local at="" previous="" word
  local -a takes words_found options_found values
  local -A values_of
  local -a commands=(${below.map((command) => `'${command.path}'`).join(" ")})
  values_of=(
${commands.flatMap(valueRows).join("\n")}
  )
  for word in "\${(@)words[2,CURRENT-1]}"; do
    if (( ! \${+values_of[$at $previous]} && \${commands[(Ie)$at $word]} )); then at="$at $word"; fi
    previous=$word
  done
  if (( \${+values_of[$at $previous]} )); then
    values=(\${(s: :)values_of[$at $previous]})
    if (( \${#values} )); then _describe -t values value values; else _files; fi
    return
  fi
  case "$at" in
${commands.map(wordCase).join("\n")}
  esac
  if [[ $PREFIX == -* ]] || (( ! \${#words_found} && ! \${#takes} )); then
    _describe -o -t options option options_found
  elif (( \${#words_found} )); then
    _describe -t commands command words_found
  else
    _files
  fi
}

if [[ $funcstack[1] == _${name} ]]; then _${name} "$@"; else compdef _${name} ${program}; fi
`;
}

/** A colon separates a word from its description. */
const described = ({ word, description }: CompletedWord): string =>
  `'${word.replaceAll(":", "\\:")}${description === "" ? "" : `:${description}`}'`;

const valueRows = (command: CompletedCommand): readonly string[] =>
  command.options
    .filter(({ takesValue }) => takesValue)
    .map(
      ({ word, values }) =>
        `    '${command.path} ${word}' '${values.map((value) => value.replaceAll(":", "\\:")).join(" ")}'`,
    );

const wordCase = (command: CompletedCommand): string => {
  const values = command.values.map((word) => ({ word, description: "" }));
  const words = [...command.subcommands, ...values].map(described).join(" ");
  const takes = command.hasArguments ? "argument" : "";
  return `    '${command.path}') words_found=(${words}); options_found=(${command.options.map(described).join(" ")}); takes=(${takes}) ;;`;
};
