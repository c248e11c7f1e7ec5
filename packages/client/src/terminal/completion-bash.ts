import { type CompletedCommand, functionName } from "./completion-words.ts";

/** Returns the completion script of a program for bash. */
export function bashCompletion(program: string, commands: readonly CompletedCommand[]): string {
  const name = functionName(program);
  const below = commands.filter(({ path }) => path !== "");
  return `# Completion of ${program} for bash. To load it: source <(${program} completion bash)

# Words that lead to a command.
_${name}_is_command() {
  case "$1" in
    ${below.map(({ path }) => `"${path}"`).join(" | ")}) return 0 ;;
    *) return 1 ;;
  esac
}

# Allowed values of an option of a command; fails for an option without a value.
_${name}_values() {
  case "$1" in
${valueCases(commands).join("\n")}
    *) return 1 ;;
  esac
}

_${name}() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD - 1]} path="" previous="" words="" word i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if ! _${name}_values "$path $previous" >/dev/null && _${name}_is_command "$path $word"; then path="$path $word"; fi
    previous=$word
  done
  # Bash makes "=" a word of its own: --option = value.
  if [[ $current == "=" ]]; then current=""; fi
  if [[ $before == "=" ]]; then before=\${COMP_WORDS[COMP_CWORD - 2]}; fi
  if words=$(_${name}_values "$path $before"); then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
    return
  fi
  case "$path" in
${commands.map(wordCase).join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}

# Without a proposal bash completes names of files.
complete -o default -F _${name} ${program}
`;
}

/** Returns the cases of options with a value, one for each list of allowed values. */
function valueCases(commands: readonly CompletedCommand[]): readonly string[] {
  const optionsByValues = new Map<string, string[]>();
  for (const { path, options } of commands)
    for (const { word, values } of options.filter(({ takesValue }) => takesValue)) {
      const list = values.join(" ");
      optionsByValues.set(list, [...(optionsByValues.get(list) ?? []), `"${path} ${word}"`]);
    }
  return Array.from(optionsByValues, ([list, options]) => `    ${options.join(" | ")}) echo "${list}" ;;`);
}

const wordCase = (command: CompletedCommand): string => {
  const options = command.options.map(({ word }) => word).join(" ");
  const words = [...command.subcommands.map(({ word }) => word), ...command.values].join(" ");
  // Arguments that may be any text are completed as files, unless an option is begun.
  const otherwise = words === "" && !command.hasArguments ? options : words;
  return `    "${command.path}") if [[ $current == -* ]]; then words="${options}"; else words="${otherwise}"; fi ;;`;
};
