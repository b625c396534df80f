import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

// Nothing is inlined: the page's own policy allows images of `data:`, and no other address than its own.
export default defineConfig({
  plugins: [react(), tailwindcss()],
  build: {
    outDir: "../src/toryo/fronts/web/static",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
