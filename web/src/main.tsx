import { StrictMode } from "react";
import { createRoot } from "react-dom/client";

import "./app.css";
import { App } from "./App";
import { beginAttention } from "./state/attention";
import { begin } from "./state/live";
import { beginMissions } from "./state/missions";
import { beginProjects } from "./state/projects";
import { beginTasks } from "./state/tasks";
import { applyTheme } from "./state/theme";

applyTheme();
beginTasks();
beginAttention();
beginMissions();
beginProjects();
begin();

const root = document.getElementById("root");
if (root) {
  // a page that cannot be drawn says so itself
  createRoot(root, { onCaughtError: () => undefined }).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
