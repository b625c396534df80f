// Theme of the page: what the system prefers, or what a person chose here.
import { keptSignal } from "./signal";

export const CHOICES = ["system", "light", "dark"] as const;
export type Choice = (typeof CHOICES)[number];

export const theme = keptSignal<Choice>("theme", "system", (one): one is Choice => CHOICES.includes(one as Choice));

const preferred = window.matchMedia("(prefers-color-scheme: dark)");

export function isDark(): boolean {
  const chosen = theme.get();
  return chosen === "dark" || (chosen === "system" && preferred.matches);
}

export function applyTheme(): void {
  document.documentElement.dataset.theme = isDark() ? "dark" : "light";
}

theme.subscribe(applyTheme);
preferred.addEventListener("change", applyTheme);
