/** A markdown-it plugin: Mermaid diagrams, as a git host draws them, by theme/diagram.mjs. */
export function diagrams(md) {
  const { fence } = md.renderer.rules;
  md.renderer.rules.fence = (tokens, at, ...rest) => {
    const { info, content } = tokens[at];
    if (info.trim() !== "mermaid") return fence(tokens, at, ...rest);
    return `<DiagramOfText text="${md.utils.escapeHtml(content).replaceAll("\n", "&#10;")}" />\n`;
  };
}
