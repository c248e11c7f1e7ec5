import { useData } from "vitepress";
import { h, onMounted, ref, watch } from "vue";

let count = 0;

/** A Mermaid diagram. Its text is shown until it is drawn, and where scripts do not run. */
export const DiagramOfText = {
  props: { text: { type: String, required: true } },
  setup(props) {
    const { isDark } = useData();
    const picture = ref("");
    const draw = async () => {
      const { default: mermaid } = await import("mermaid");
      mermaid.initialize({
        startOnLoad: false,
        securityLevel: "strict",
        theme: isDark.value ? "dark" : "neutral",
        fontFamily: "inherit",
      });
      count += 1;
      picture.value = (await mermaid.render(`diagram-${count}`, props.text)).svg;
    };
    onMounted(() => {
      watch(isDark, draw, { immediate: true });
    });
    return () =>
      picture.value === ""
        ? h("pre", { class: "diagram" }, props.text)
        : h("figure", { class: "diagram", innerHTML: picture.value });
  },
};
