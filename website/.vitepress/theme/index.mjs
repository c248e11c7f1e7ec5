import theme from "vitepress/theme-without-fonts";
import { DiagramOfText } from "./diagram.mjs";
import "./style.css";

export default {
  extends: theme,
  enhanceApp: ({ app }) => {
    app.component("DiagramOfText", DiagramOfText);
  },
};
