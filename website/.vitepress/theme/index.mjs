import { useRoute } from "vitepress";
import theme from "vitepress/theme-without-fonts";
import { nextTick, onMounted, watch } from "vue";
import { DiagramOfText } from "./diagram.mjs";
import "./style.css";

/** Makes the arrow of a group no button of its own: the theme puts it into the button that opens the group. */
function flattenButtons() {
  for (const arrow of document.querySelectorAll(".VPSidebarItem .item[role=button] > .caret")) {
    arrow.removeAttribute("role");
    arrow.removeAttribute("tabindex");
    arrow.removeAttribute("aria-label");
  }
}

export default {
  extends: theme,
  enhanceApp: ({ app }) => {
    app.component("DiagramOfText", DiagramOfText);
  },
  setup: () => {
    const route = useRoute();
    onMounted(() => nextTick(flattenButtons));
    watch(
      () => route.path,
      () => nextTick(flattenButtons),
    );
  },
};
